{{/*
The data of the Secret in base64: the configured value, that of an earlier install, or a random one. It is generated once per rendering, so that all templates see the same values.
*/}}
{{- define "dev-backends.secrets" -}}
{{- if not (hasKey .Values "made") }}
{{- $given := .Values.secrets | default dict }}
{{- $before := (lookup "v1" "Secret" .Release.Namespace "dev-backends").data | default dict }}
{{- $app := dict "appId" (randAlphaNum 24) "appSecret" (randAlphaNum 32) }}
{{- $second := dict "orgId" (randAlphaNum 24) "appId" (randAlphaNum 24) "appSecret" (randAlphaNum 32) }}
{{- $made := dict
  "mongodb-url" (b64enc "mongodb://mongodb:27017/?replicaSet=rs0&directConnection=true")
  "redis-url" (b64enc "redis://redis:6379")
  "access-key" ($given.accessKey | default "" | b64enc | default (get $before "access-key") | default (b64enc "dtplatform"))
  "secret-key" ($given.secretKey | default "" | b64enc | default (get $before "secret-key") | default (randAlphaNum 32 | b64enc))
  "client-id" ($given.clientId | default "" | b64enc | default (get $before "client-id") | default (b64enc "services"))
  "client-secret" ($given.clientSecret | default "" | b64enc | default (get $before "client-secret") | default (randAlphaNum 32 | b64enc))
  "key-encryption-key" ($given.keyEncryptionKey | default "" | b64enc | default (get $before "key-encryption-key") | default (randAlphaNum 48 | b64enc))
  "admin-password" ($given.adminPassword | default "" | b64enc | default (get $before "admin-password") | default (randAlphaNum 24 | b64enc))
  "app-secret" ($given.appSecret | default "" | b64enc | default (get $before "app-secret") | default (randAlphaNum 32 | b64enc))
  "dev" (ternary ($given.dev | toJson | b64enc) "" (not (empty $given.dev)) | default (get $before "dev") | default (dict "second" $second "shortLived" $app | toJson | b64enc))
}}
{{- $_ := set .Values "made" $made }}
{{- end }}
{{- toYaml .Values.made }}
{{- end }}
