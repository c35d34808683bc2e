{{/* The environment variables that are not secret, sorted by name. The documentation site has no backends and needs few. */}}
{{- define "platform-lib.environment" -}}
{{- $global := .Values.global }}
{{- $issuer := "/passportsvc/api/v1/oauth" }}
{{- $env := dict
  "LOG_LEVEL" $global.logLevel
  "KEEP_ALIVE_MS" (mul $global.keepAliveSeconds 1000)
  "SHUTDOWN_GRACE_MS" (mul .Values.shutdown.graceSeconds 1000)
  "BASE_URL" $global.baseUrl
-}}
{{- $facts := include "platform-lib.facts" . | fromYaml }}
{{- if $facts.components.api.needs }}
{{- $_ := set $env "CORS_ORIGINS" (join "," ($global.corsOrigins | default list)) }}
{{- $_ := set $env "MONGO_DB" (printf "%s%s" ($global.mongodb.databasePrefix | default "") .Chart.Name) }}
{{- $_ := set $env "OAUTH_ISSUER" (printf "%s%s" $global.baseUrl $issuer) }}
{{- $_ := set $env "JWKS_URL" (printf "http://passportsvc:8080%s/jwks" $issuer) }}
{{- $_ := set $env "TOKEN_URL" "http://passportsvc:8080/passportsvc/api/v2/oauth/token" }}
{{- $_ := set $env "OBJECTMODELSVC_URL" "http://objectmodelsvc:8080" }}
{{- end }}
{{- if include "platform-lib.hasInlineWorker" . }}{{ $_ := set $env "WORKERS" "inline" }}{{ end }}
{{- range $facts.components }}
{{- range .calls }}{{ $_ := set $env (printf "%s_URL" (upper .)) (printf "http://%s:8080" .) }}{{ end }}
{{- end }}
{{- if include "platform-lib.usesS3" . }}
{{- $_ := set $env "S3_FORCE_PATH_STYLE" $global.s3.forcePathStyle }}
{{- $_ := set $env "S3_ENDPOINT" $global.s3.endpoint }}
{{- $_ := set $env "S3_REGION" $global.s3.region }}
{{- $_ := set $env "S3_BUCKET" (printf "%s%s" ($global.s3.bucketPrefix | default "") .Chart.Name) }}
{{- with $global.s3.publicEndpoint }}{{ $_ := set $env "S3_PUBLIC_ENDPOINT" . }}{{ end }}
{{- end }}
{{- range $caller, $limit := .Values.rateLimit }}
{{- if $limit }}{{ $_ := set $env (printf "RATE_LIMIT_%s" (snakecase $caller | upper)) (int64 $limit) }}{{ end }}
{{- end }}
{{- $_ := merge $env (include "platform-lib.settings" .Values.settings | fromYaml) }}
{{- range $name, $value := $env }}
{{ $name }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* Turns settings into environment variables: `maxFileBytes: 5` becomes `MAX_FILE_BYTES: "5"`. Empty settings (not 0) are left out, so that the service uses its default. */}}
{{- define "platform-lib.settings" -}}
{{- range $name, $value := . }}
{{- /* Helm reads numbers as floats, which would print as 5e+12. */}}
{{- if kindIs "float64" $value }}{{ $value = printf "%.0f" $value }}{{ end }}
{{- if or $value (eq (toString $value) "0") }}
{{ snakecase $name | upper }}: {{ $value | toString | quote }}
{{- end }}
{{- end }}
{{- end }}
