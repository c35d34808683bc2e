{{/*
The Secret and the keys of each group of secret settings. `value` is the chart value that names the Secret; it may be empty
if the group is `optional`. A setting whose key is empty is not passed.
*/}}
{{- define "platform-lib.secrets" -}}
{{- $global := .Values.global -}}
mongodb:
  value: global.mongodb
  secret: {{ $global.mongodb.existingSecret | quote }}
  keys:
    MONGO_URL: {{ $global.mongodb.urlKey | quote }}
    MONGO_USERNAME: {{ $global.mongodb.usernameKey | quote }}
    MONGO_PASSWORD: {{ $global.mongodb.passwordKey | quote }}
  certificates:
    MONGO_CLIENT_CERTIFICATE: {{ toJson $global.mongodb.clientCertificate }}
redis:
  value: global.redis
  secret: {{ $global.redis.existingSecret | quote }}
  keys:
    REDIS_URL: {{ $global.redis.urlKey | quote }}
    REDIS_USERNAME: {{ $global.redis.usernameKey | quote }}
    REDIS_PASSWORD: {{ $global.redis.passwordKey | quote }}
  certificates:
    REDIS_CLIENT_CERTIFICATE: {{ toJson $global.redis.clientCertificate }}
s3:
  value: global.s3
  # Without a Secret, the SDK finds the credentials of the pod's cloud identity.
  optional: true
  secret: {{ $global.s3.existingSecret | quote }}
  keys: { S3_ACCESS_KEY: {{ $global.s3.accessKeyKey | quote }}, S3_SECRET_KEY: {{ $global.s3.secretKeyKey | quote }} }
  certificates:
    S3_CLIENT_CERTIFICATE: {{ toJson $global.s3.clientCertificate }}
serviceClient:
  value: global.serviceClient
  secret: {{ $global.serviceClient.existingSecret | quote }}
  keys:
    SERVICE_CLIENT_ID: {{ $global.serviceClient.idKey | quote }}
    SERVICE_CLIENT_SECRET: {{ $global.serviceClient.secretKey | quote }}
{{- with .Values.keyEncryption }}
keyEncryption:
  value: keyEncryption
  secret: {{ .existingSecret | quote }}
  keys:
    KEY_ENCRYPTION_KEY: {{ .key | quote }}
    KEY_ENCRYPTION_KEY_PREVIOUS: {{ .previousKey | quote }}
{{- end }}
{{- with .Values.smtp }}
smtp:
  value: smtp
  optional: true
  secret: {{ .existingSecret | quote }}
  keys: { SMTP_URL: {{ .urlKey | quote }} }
{{- end }}
{{- with .Values.mqtt }}
mqtt:
  value: mqtt
  optional: true
  secret: {{ .existingSecret | quote }}
  keys: { MQTT_CONNECTORS: {{ .connectorsKey | quote }} }
{{- end }}
{{- with .Values.bootstrap }}
bootstrap:
  value: bootstrap
  optional: true
  secret: {{ .existingSecret | quote }}
  keys:
    BOOTSTRAP_ADMIN_PASSWORD: {{ .adminPasswordKey | quote }}
    BOOTSTRAP_APP_SECRET: {{ .appSecretKey | quote }}
    BOOTSTRAP_DEV: {{ .devKey | quote }}
{{- end }}
{{- end }}

{{/* The secret files of the groups in "needs", as a list of {name, secret, key} under `files`. Takes dict "root" "needs". */}}
{{- define "platform-lib.secretFiles" -}}
{{- $secrets := include "platform-lib.secrets" .root | fromYaml -}}
files:
{{- range .needs }}
{{- $group := get $secrets . }}
{{- range $name, $key := $group.keys }}
{{- if and $group.secret $key }}
  - { name: {{ $name }}, secret: {{ $group.secret | quote }}, key: {{ $key | quote }} }
{{- end }}
{{- end }}
{{- range $name, $certificate := $group.certificates }}
{{- if $certificate.existingSecret }}
  - { name: {{ $name }}, secret: {{ $certificate.existingSecret | quote }}, key: {{ $certificate.key | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}
