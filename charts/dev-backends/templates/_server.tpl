{{/*
A server with data: a Service and a StatefulSet with one pod. Takes dict "root" "name" "port" "server" (its values)
"container" (the container fields specific to it, as YAML) and, optionally, "checksum" (configuration read at start).
*/}}
{{- define "dev-backends.server" -}}
{{- $persistence := .server.persistence -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "dev-backends.metadata" . | nindent 2 }}
spec:
  selector:
    {{- include "dev-backends.selectorLabels" . | nindent 4 }}
  ports:
    - { name: {{ .name }}, port: {{ .port }}, targetPort: {{ .name }} }
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "dev-backends.metadata" . | nindent 2 }}
spec:
  serviceName: {{ .name }}
  replicas: 1
  selector:
    matchLabels:
      {{- include "dev-backends.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      {{- include "dev-backends.podMetadata" . | nindent 6 }}
    spec:
      {{- include "dev-backends.podBasics" .root | nindent 6 }}
      containers:
        - name: {{ .name }}
          {{- include "dev-backends.image" (dict "root" .root "image" .server.image) | nindent 10 }}
          command:
            {{- toYaml .server.command | nindent 12 }}
          {{- .container | nindent 10 }}
          ports:
            - { name: {{ .name }}, containerPort: {{ .port }} }
          resources:
            {{- toYaml .server.resources | nindent 12 }}
          {{- include "dev-backends.containerSecurity" . | nindent 10 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: {}
        {{- if not $persistence.enabled }}
        - name: data
          emptyDir: {}
        {{- end }}
  {{- if $persistence.enabled }}
  persistentVolumeClaimRetentionPolicy:
    whenDeleted: {{ ternary "Retain" "Delete" .root.Values.retainData }}
    whenScaled: Retain
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with $persistence.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests:
            storage: {{ $persistence.size }}
  {{- end }}
{{- end }}
