{{- define "vigil.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* Labels by which objects select pods. They cannot change after the installation. Takes root and component. */}}
{{- define "vigil.selector" -}}
app.kubernetes.io/name: vigil
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "vigil.labels" -}}
{{ include "vigil.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "vigil.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "vigil.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end }}

{{- define "vigil.secret" -}}
{{- .Values.secretName | default (include "vigil.fullname" .) -}}
{{- end }}

{{/* Settings of all pods, as a map of texts. Those that the chart sets fit the ports and volumes of the pods. */}}
{{- define "vigil.settings" -}}
{{- $name := include "vigil.fullname" . -}}
{{- $settings := dict -}}
{{- range $key, $value := .Values.settings -}}
{{- if kindIs "float64" $value -}}
{{- $_ := set $settings $key ($value | toJson) -}}
{{- else -}}
{{- $_ := set $settings $key ($value | toString) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not (hasKey $settings "VIGIL_PUBLIC_URL")) -}}
{{- $scheme := ternary "https" "http" (ne .Values.ingress.tlsSecretName "") -}}
{{- $_ := set $settings "VIGIL_PUBLIC_URL" (printf "%s://%s" $scheme .Values.ingress.host) -}}
{{- end -}}
{{- $hosts := list (printf "%s.%s.svc" $name .Release.Namespace) (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- with get $settings "VIGIL_ALLOWED_HOSTS" -}}
{{- $hosts = append $hosts . -}}
{{- end -}}
{{- $_ := set $settings "VIGIL_ALLOWED_HOSTS" (join "," $hosts) -}}
{{- $_ := set $settings "VIGIL_HOST" "0.0.0.0" -}}
{{- $_ := set $settings "VIGIL_PORT" "8080" -}}
{{- $_ := set $settings "VIGIL_ADMIN_PORT" "9080" -}}
{{- $_ := set $settings "VIGIL_DATA_DIR" "/var/lib/vigil" -}}
{{- /* Pods are what is scaled. */ -}}
{{- $_ := set $settings "VIGIL_PROCESSES" "1" -}}
{{- toYaml $settings -}}
{{- end }}

{{/* The parts of a pod that all roles share. */}}
{{- define "vigil.podSpec" -}}
# Variables of services, such as VIGIL_PORT, would be taken for settings.
enableServiceLinks: false
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext: {{- toYaml .Values.podSecurityContext | nindent 2 }}
volumes:
  # Nothing in it has to outlast the pod, because the master key is in the Secret.
  - { name: data, emptyDir: {} }
  - { name: tmp, emptyDir: {} }
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* The parts of a container that all roles share. */}}
{{- define "vigil.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext: {{- toYaml .Values.securityContext | nindent 2 }}
volumeMounts:
  - { name: data, mountPath: /var/lib/vigil }
  - { name: tmp, mountPath: /tmp }
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* The specification of a Deployment without the number of pods. Takes root, component and values of the role. */}}
{{- define "vigil.deployment" -}}
selector:
  matchLabels: {{- include "vigil.selector" . | nindent 4 }}
strategy:
  rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
template:
  metadata:
    labels: {{- include "vigil.labels" . | nindent 6 }}
    annotations:
      # Pods are replaced when a setting changes.
      checksum/settings: {{ include "vigil.settings" .root | sha256sum }}
      {{- if not .root.Values.serviceMonitor.enabled }}
      prometheus.io/scrape: 'true'
      prometheus.io/port: '9080'
      {{- end }}
      {{- with .values.podAnnotations }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
  spec:
    {{- include "vigil.podSpec" .root | nindent 4 }}
    serviceAccountName: {{ include "vigil.serviceAccount" .root }}
    # Longer than VIGIL_DRAIN_SECONDS and 15 seconds.
    terminationGracePeriodSeconds: {{ add (.root.Values.settings.VIGIL_DRAIN_SECONDS | default 2 | int) 30 }}
    topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: kubernetes.io/hostname
        whenUnsatisfiable: ScheduleAnyway
        labelSelector:
          matchLabels: {{- include "vigil.selector" . | nindent 12 }}
    {{- with .values.nodeSelector }}
    nodeSelector: {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .values.tolerations }}
    tolerations: {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .values.affinity }}
    affinity: {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .values.priorityClassName }}
    priorityClassName: {{ . }}
    {{- end }}
    containers:
      - name: vigil
        {{- include "vigil.container" .root | nindent 8 }}
        args: [serve, --role, {{ .component }}]
        envFrom:
          - configMapRef: { name: {{ include "vigil.fullname" .root }} }
          - secretRef: { name: {{ include "vigil.secret" .root }} }
        {{- with .root.Values.extraEnv }}
        env: {{- toYaml . | nindent 10 }}
        {{- end }}
        ports:
          {{- if eq .component "api" }}
          - { name: http, containerPort: 8080 }
          {{- end }}
          - { name: admin, containerPort: 9080 }
        # Longer than VIGIL_POSTGRES_WAIT_SECONDS, during which no port is open.
        startupProbe:
          httpGet: { path: /healthz, port: admin }
          periodSeconds: 2
          failureThreshold: {{ add (div (.root.Values.settings.VIGIL_POSTGRES_WAIT_SECONDS | default 60 | int) 2) 30 }}
        livenessProbe:
          httpGet: { path: /healthz, port: admin }
          periodSeconds: 10
          timeoutSeconds: 5
          failureThreshold: 6
        readinessProbe:
          httpGet: { path: /readyz, port: admin }
          periodSeconds: 2
          timeoutSeconds: 3
          failureThreshold: 2
        resources: {{- toYaml .values.resources | nindent 10 }}
{{- end }}
