export const versions = ['1.30', '1.31', '1.32', '1.33', '1.34'];

export const newest = versions.at(-1);

/** Of the Gateway API, KEDA and the Prometheus operator. */
export const kindsOfOthers = [
  'gateway.networking.k8s.io/v1 HTTPRoute',
  'keda.sh/v1alpha1 ScaledObject',
  'keda.sh/v1alpha1 TriggerAuthentication',
  'monitoring.coreos.com/v1 ServiceMonitor',
  'monitoring.coreos.com/v1 PodMonitor',
  'monitoring.coreos.com/v1 PrometheusRule',
];
