{{- /* What src/providers/kubernetes/manifests and pod/pod-template.ts say in TypeScript. A test compares both. */ -}}

{{- define "metadata" -}}
name: {{ .Chart.Name }}
namespace: {{ .Release.Namespace }}
labels:
  app.kubernetes.io/name: sandboxed-ptc
{{- end }}

{{- /* The runner, which `npm run build` writes. */ -}}
{{- define "runner" -}}
{{- required "The chart has no runner: use that of the npm package, or run `npm run build`." (.Files.Get "files/runner.json") }}
{{- end }}

{{- define "runnerMapName" -}}
sandboxed-ptc-runner-{{ (include "runner" . | fromJson).hash }}
{{- end }}

{{- define "bytes" -}}
{{- $bytes := int64 . -}}
{{- if mod $bytes 1048576 }}{{ $bytes }}{{ else }}{{ div $bytes 1048576 }}Mi{{ end }}
{{- end }}

{{- define "processors" -}}
{{ round (mulf . 1000) 0 | int64 }}m
{{- end }}

{{- /* Both containers have the same image and program. */ -}}
{{- define "container" -}}
image: {{ .Values.image | quote }}
command:
  - python3
  - -I
  - -S
  - -B
  - -c
  - {{ (include "runner" . | fromJson).bootstrap | toJson }}
  - /opt/sandboxed-ptc-runner
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}
