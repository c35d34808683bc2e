{{- define "platform-lib.sharedAlerts" -}}
# The alerts of every service. `write.mjs` copies them to the library, which sets SERVICE and NAMESPACE to those of a release
# and RUNBOOKS to the URL of the repository. The labels of an alert locate the problem, so its texts do not.
groups:
  - name: SERVICE.all-services
    rules:
      - alert: RequestsFail
        expr: |
          sum by (namespace, job) (rate(http_request_duration_seconds_count{namespace="NAMESPACE",job="SERVICE",status=~"5.."}[5m]))
            / sum by (namespace, job) (rate(http_request_duration_seconds_count{namespace="NAMESPACE",job="SERVICE"}[5m])) > 0.01
        for: 5m
        labels: { severity: critical }
        annotations:
          summary: More than 1 % of responses are server errors.
          description: Look at `/readyz` of the pods, then in the log at responses with status 5xx and their `code`.
          runbook_url: RUNBOOKS/services/SERVICE/README.md#runbook
      - alert: RequestsAreSlow
        expr: |
          histogram_quantile(0.99, sum by (namespace, job, le) (
            rate(http_request_duration_seconds_bucket{namespace="NAMESPACE",job="SERVICE",operation!~"files.upload|uploads.append|content.get|orchestrators.run|runs.retry|runs.watch"}[10m])
          )) > 1
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: One in a hundred requests takes longer than a second.
          description: Operations that stream bodies or wait for runs are not counted. Look at the pools, memory and CPU of the pods on the dashboards.
          runbook_url: RUNBOOKS/docs/operations.md#alerts
      - alert: NoPods
        expr: kube_deployment_status_replicas_available{namespace="NAMESPACE",deployment=~"SERVICE(-worker)?"} == 0
        for: 2m
        labels: { severity: critical }
        annotations:
          summary: No pod is ready.
          description: Without pods the service does not respond; without workers, accepted work waits. `/readyz` names the failing check.
          runbook_url: RUNBOOKS/services/SERVICE/README.md#runbook
      - alert: PodsAreNotReady
        expr: |
          kube_deployment_status_replicas_available{namespace="NAMESPACE",deployment=~"SERVICE(-worker)?"}
            < kube_deployment_spec_replicas{namespace="NAMESPACE",deployment=~"SERVICE(-worker)?"}
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: Some pods have not been ready for ten minutes.
          description: '`/readyz` of the pod names the failing check. A new pod with a wrong secret or URL stays unready; the old ones continue.'
          runbook_url: RUNBOOKS/docs/operations.md#what-to-watch
      - alert: MigrationFailed
        # A Job that succeeds at a later attempt keeps its failed pods.
        expr: |
          kube_job_status_failed{namespace="NAMESPACE",job_name=~"SERVICE-migrate.*"} > 0
            unless on (namespace, job_name) kube_job_status_succeeded{namespace="NAMESPACE",job_name=~"SERVICE-migrate.*"} > 0
        labels: { severity: critical }
        annotations:
          summary: The migration of the database failed.
          description: New pods stay unready until it succeeds. Its log has the reason.
          runbook_url: RUNBOOKS/docs/operations.md#upgrade
      - alert: ContainerRestarts
        expr: increase(kube_pod_container_status_restarts_total{namespace="NAMESPACE",pod=~"SERVICE-.+"}[1h]) > 2
        labels: { severity: warning }
        annotations:
          summary: A container keeps restarting.
          description: Look at the log of its last run and the reason of its termination (`OOMKilled` means that it needs more memory).
          runbook_url: RUNBOOKS/services/SERVICE/README.md#runbook
      - alert: MetricsAreMissing
        expr: up{namespace="NAMESPACE",job="SERVICE"} == 0 or absent(up{namespace="NAMESPACE",job="SERVICE"})
        for: 10m
        labels: { severity: warning }
        annotations:
          summary: Prometheus cannot read the metrics, so other alerts do not fire.
          description: Look at the state of the target in Prometheus; `global.networkPolicy.monitoring` must name its pods.
          runbook_url: RUNBOOKS/docs/operations.md#monitoring
      - alert: OutboxIsStuck
        expr: max by (namespace, job) (outbox_oldest_age_seconds{namespace="NAMESPACE",job="SERVICE"}) > 60
        for: 2m
        labels: { severity: critical }
        annotations:
          summary: Messages do not reach their queues.
          description: Redis or the worker is down. Messages wait in the database and none is lost.
          runbook_url: RUNBOOKS/services/SERVICE/README.md#runbook
      - alert: QueueGrows
        expr: |
          min by (namespace, job, queue) (deriv(queue_jobs{namespace="NAMESPACE",job="SERVICE",state="waiting"}[1h])) > 0
            and max by (namespace, job, queue) (queue_jobs{namespace="NAMESPACE",job="SERVICE",state="waiting"}) > 100
        for: 30m
        labels: { severity: warning }
        annotations:
          summary: A queue has been growing for an hour.
          description: Add workers (see also `worker.keda`), unless its jobs fail or wait for another service.
          runbook_url: RUNBOOKS/docs/operations.md#scale
      - alert: MessagesWait
        expr: min_over_time(max by (namespace, job) (outbox_unprocessed_messages{namespace="NAMESPACE",job="SERVICE"})[1h:1m]) > 10000
        labels: { severity: warning }
        annotations:
          summary: More than 10000 messages of this service have waited for their consumer for an hour.
          description: The consumer is down or too slow. It may be another service, such as metricsvc.
          runbook_url: RUNBOOKS/docs/operations.md#messages-that-fail
      - alert: MessagesFail
        expr: max by (namespace, job) (outbox_failed_messages{namespace="NAMESPACE",job="SERVICE"}) > 0
        for: 15m
        labels: { severity: warning }
        annotations:
          summary: Messages keep failing. They are retried until they succeed.
          description: The log of the consumer has the reason, in `job keeps failing`.
          runbook_url: RUNBOOKS/docs/operations.md#messages-that-fail
      - alert: JobsFail
        expr: |
          sum by (namespace, job, queue, message) (
            increase(job_duration_seconds_count{namespace="NAMESPACE",job="SERVICE",outcome="failed"}[15m])
          ) > 0
        labels: { severity: warning }
        annotations:
          summary: Jobs keep failing.
          description: The log of the worker has the reason, in `job keeps failing`.
          runbook_url: RUNBOOKS/services/SERVICE/README.md#runbook
      - alert: MongodbPoolIsExhausted
        expr: |
          avg_over_time(mongodb_pool_waiting{namespace="NAMESPACE",job="SERVICE"}[5m]) > 5
            or increase(mongodb_pool_failures_total{namespace="NAMESPACE",job="SERVICE"}[5m]) > 0
        for: 2m
        labels: { severity: warning }
        annotations:
          summary: Operations wait for a connection to MongoDB, or get none.
          description: MongoDB is slow or unavailable, or the pod gets more requests than it can serve. Look at MongoDB first, then add pods.
          runbook_url: RUNBOOKS/docs/operations.md#alerts
      - alert: RedisIsDisconnected
        expr: |
          redis_connected{namespace="NAMESPACE",job="SERVICE"} == 0
            or min by (namespace, job, pod) (queue_connected{namespace="NAMESPACE",job="SERVICE"}) == 0
        for: 1m
        labels: { severity: critical }
        annotations:
          summary: A process has no connection to Redis.
          description: Without Redis, requests get a 503 and jobs wait. Restore it; no process needs a restart.
          runbook_url: RUNBOOKS/docs/operations.md#troubleshooting
      - alert: RequestsWaitForMemory
        expr: avg_over_time(memory_budget_waiting{namespace="NAMESPACE",job="SERVICE"}[5m]) > 5
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: Requests wait for memory of their process.
          description: '`budget` names the purpose. Add pods; requests that wait for half a minute get a 503.'
          runbook_url: RUNBOOKS/docs/operations.md#alerts
      - alert: EventLoopIsBlocked
        expr: nodejs_eventloop_lag_p99_seconds{namespace="NAMESPACE",job="SERVICE"} > 0.5
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: A process is too busy to respond in time.
          description: It lacks CPU, or a caller requests very large responses. Look at the durations by operation.
          runbook_url: RUNBOOKS/docs/operations.md#scale
      - alert: MemoryIsNearItsLimit
        expr: |
          max by (namespace, pod, container) (container_memory_working_set_bytes{namespace="NAMESPACE",pod=~"SERVICE-.+",container!=""})
            / max by (namespace, pod, container) (kube_pod_container_resource_limits{namespace="NAMESPACE",pod=~"SERVICE-.+",resource="memory"}) > 0.9
        for: 5m
        labels: { severity: warning }
        annotations:
          summary: A container is about to be killed for its memory use.
          description: Raise its memory limit and report it. The memory budgets should keep it below the limit.
          runbook_url: RUNBOOKS/docs/operations.md#alerts
{{- end }}
