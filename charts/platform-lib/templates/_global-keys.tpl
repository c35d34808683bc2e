{{- define "platform-lib.globalKeys" -}}
baseUrl corsOrigins logLevel keepAliveSeconds image mongodb redis s3 serviceClient certificateAuthority networkPolicy serviceMonitor monitoring openshift pod containerSecurityContext nodeSelector tolerations affinity priorityClassName runtimeClassName ipFamilyPolicy workers
{{- end }}
