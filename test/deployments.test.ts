/**
 * Checks the examples of `deploy/` and `compose.yaml` against the program: settings, ports, paths, commands
 * and times that they name exist and fit each other.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { withDescribedApp } from '../scripts/described-app.ts'
import { createProgram } from '../src/cli/program.ts'
import { type Config, environmentName, readConfig, SETTINGS } from '../src/config.ts'
import { packageRoot } from '../src/platform/package-root.ts'

const textOf = (...path: string[]): string => readFileSync(join(packageRoot(), ...path), 'utf8')
const namesIn = (folder: string): string[] => readdirSync(join(packageRoot(), folder))
const objectsIn = (text: string): Named[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Named | null)
    .filter((object) => object !== null)

/** Seconds that the program may take to stop after it has drained (docs/operate/install.md). */
const STOP_SECONDS = 15
/** Connections of a PostgreSQL with default settings that are not reserved for superusers. */
const CONNECTIONS = 97
const OPERATIONAL = ['healthz', 'readyz', 'metrics']
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const SERVERS = {
  DATABASE_URL: 'postgres://vigil:x@db:5432/vigil',
  CLICKHOUSE_URL: 'http://vigil:x@clickhouse:8123/vigil',
  REDIS_URL: 'redis://redis:6379',
  VIGIL_MASTER_KEY: MASTER_KEY,
}

let paths: string[] = []
beforeAll(async () => {
  paths = await withDescribedApp((app) => app.declaredRoutes.map(({ url }) => url))
})

function expectCommand(args: readonly string[]): void {
  const io = { working_folder: '', environment: {}, stdout: () => {}, stderr: () => {} }
  const command = createProgram(io).commands.find((one) => one.name() === args[0])
  expect(command, args.join(' ')).toBeDefined()
  for (const [index, flag] of args.entries()) {
    if (!flag.startsWith('--')) continue
    const option = command?.options.find(({ long }) => long === flag)
    expect(option?.argChoices, args.join(' ')).toContain(args[index + 1])
  }
}

describe('all examples', () => {
  const folders = [
    'systemd',
    'nginx',
    'haproxy',
    'kubernetes',
    'compose',
    'helm/vigil',
    'helm/vigil/templates',
  ]
  const files = folders.flatMap((folder) =>
    namesIn(`deploy/${folder}`)
      .filter((file) => file !== 'templates')
      .map((file) => `${folder}/${file}`),
  )

  it.each(files)('%s names settings that exist', (file) => {
    const known = Object.keys(SETTINGS).map(environmentName)
    const named =
      textOf('deploy', file).match(/\b(?:VIGIL_[A-Z_]+|(?:DATABASE|REDIS|CLICKHOUSE)_URL)\b/g) ?? []
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })
})

type Named = { kind: string; metadata: { name: string; annotations?: Labels } }
type Labels = Record<string, string>
type Container = {
  args: string[]
  env?: { name: string; value?: string }[]
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  securityContext: Record<string, unknown>
  volumeMounts: { name: string; mountPath: string }[]
}
type Probe = {
  httpGet: { path: string; port: string }
  periodSeconds: number
  failureThreshold: number
}
type Pod = {
  metadata: { labels: Labels; annotations?: Labels }
  spec: {
    terminationGracePeriodSeconds: number
    enableServiceLinks: boolean
    automountServiceAccountToken: boolean
    serviceAccountName?: string
    securityContext: Record<string, unknown>
    volumes: { name: string }[]
    containers: [Container]
  }
}
type Workload = Named & {
  spec: { replicas?: number; selector: { matchLabels: Labels }; template: Pod }
}
type Scaler = Named & { spec: { scaleTargetRef: { name: string }; maxReplicas: number } }
type Balancer = Named & {
  spec: { selector: Labels; ports: [{ name: string; port: number }] }
}
type Path = { path: string; backend: { service: { name: string } } }
type Entry = Named & { spec: { rules: [{ http: { paths: Path[] } }] } }

const kustomization = parse(textOf('deploy/kubernetes/kustomization.yaml')) as {
  resources: string[]
  namespace: string
}
const manifests = kustomization.resources.flatMap((file) =>
  objectsIn(textOf('deploy/kubernetes', file)),
)
const RENDERED = {
  default: textOf('test/helm/default.yaml'),
  all: textOf('test/helm/all.yaml'),
}
const ofKind = <T extends Named>(objects: readonly Named[], kind: string): T[] =>
  objects.filter((object) => object.kind === kind) as T[]

it('the manifests for Kubernetes are all files of the folder', () => {
  const files = namesIn('deploy/kubernetes').filter((file) => file !== 'kustomization.yaml')
  expect(files.toSorted()).toEqual(kustomization.resources.toSorted())
  expect(ofKind(manifests, 'Namespace').map(({ metadata }) => metadata.name)).toEqual([
    kustomization.namespace,
  ])
})

describe.each([
  { what: 'the manifests for Kubernetes', objects: manifests, secret: 'vigil' },
  { what: 'the chart for Helm', objects: objectsIn(RENDERED.default), secret: 'vigil' },
  { what: 'the chart with all options', objects: objectsIn(RENDERED.all), secret: 'vigil-secrets' },
])('$what', ({ objects, secret }) => {
  const only = <T extends Named>(kind: string): T[] => ofKind<T>(objects, kind)
  const deployments = only<Workload>('Deployment')
  const workloads = [...deployments, ...only<Workload>('Job')]
  const [map] = only<Named & { data: Record<string, string> }>('ConfigMap')
  const settings: Config = readConfig({ ...map?.data, ...SERVERS })
  const services = only<Balancer>('Service')
  const publicService = services.find(({ spec }) => spec.ports[0].name === 'http')
  const [scaler] = only<Scaler>('HorizontalPodAutoscaler')

  it.each(workloads)('runs a command that exists: $metadata.name', ({ spec }) => {
    expectCommand(spec.template.spec.containers[0].args)
  })

  it.each(workloads)('isolates pods from the node and the cluster: $metadata.name', (workload) => {
    const { spec } = workload.spec.template
    const [container] = spec.containers
    expect(spec).toMatchObject({
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const mounted = container.volumeMounts.map(({ mountPath }) => mountPath)
    expect(mounted).toEqual(expect.arrayContaining([settings.data_dir, '/tmp']))
    const volumes = spec.volumes.map(({ name }) => name)
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(volumes)
  })

  it.each(workloads)('configures pods with all settings: $metadata.name', (workload) => {
    const { envFrom, env = [] } = workload.spec.template.spec.containers[0]
    const isHook = workload.metadata.annotations?.['helm.sh/hook'] !== undefined
    expect(envFrom).toContainEqual({ secretRef: { name: secret } })
    if (!isHook) expect(envFrom).toContainEqual({ configMapRef: { name: map?.metadata.name } })
    // Helm creates the ConfigMap after the hooks.
    else {
      const own = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))
      expect(Object.fromEntries(own)).toEqual(map?.data)
    }
  })

  it.each(deployments)(
    'probes paths and ports that the settings open: $metadata.name',
    ({ spec }) => {
      const [container] = spec.template.spec.containers
      const expected = [
        { name: 'http', containerPort: settings.port },
        { name: 'admin', containerPort: settings.admin_port },
      ]
      const isApi = container.args.includes('api')
      expect(container.ports).toEqual(isApi ? expected : expected.slice(1))
      const { startupProbe, livenessProbe, readinessProbe } = container
      expect(startupProbe?.httpGet).toEqual({ path: '/healthz', port: 'admin' })
      expect(livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'admin' })
      expect(readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'admin' })
      expect(paths).toEqual(expect.arrayContaining(['/healthz', '/readyz']))
      const { periodSeconds = 0, failureThreshold = 0 } = startupProbe ?? {}
      expect(periodSeconds * failureThreshold).toBeGreaterThan(settings.postgres_wait_seconds)
    },
  )

  it.each(deployments)('gives pods the time to stop: $metadata.name', ({ spec }) => {
    const { terminationGracePeriodSeconds: seconds } = spec.template.spec
    expect(seconds).toBeGreaterThan(settings.drain_seconds + STOP_SECONDS)
    const { periodSeconds = 0, failureThreshold = 0 } =
      spec.template.spec.containers[0].readinessProbe ?? {}
    expect(settings.drain_seconds).toBeGreaterThan(periodSeconds * failureThreshold)
  })

  it('has objects that refer to each other', () => {
    for (const { spec } of deployments) {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    }
    const labels = deployments.map(({ spec }) => spec.selector.matchLabels)
    const budgets = only<Workload>('PodDisruptionBudget').map(
      ({ spec }) => spec.selector.matchLabels,
    )
    expect(budgets).toEqual(labels)
    const api = deployments.find(({ spec }) =>
      spec.template.spec.containers[0].args.includes('api'),
    )
    if (scaler !== undefined) expect(scaler.spec.scaleTargetRef.name).toBe(api?.metadata.name)
    expect(api?.spec.replicas === undefined).toBe(scaler !== undefined)
    expect(publicService?.spec.selector).toEqual(api?.spec.selector.matchLabels)
    expect(settings.allowed_hosts).toContain(
      `${publicService?.metadata.name}.${kustomization.namespace}.svc`,
    )
  })

  it('needs no more connections than PostgreSQL has by default', () => {
    const running = deployments.reduce(
      (sum, { spec }) => sum + (spec.replicas ?? scaler?.spec.maxReplicas ?? Infinity),
      0,
    )
    // A pod of each deployment is replaced at a time, and a job migrates.
    const pods = running + deployments.length + 1
    expect(pods * settings.postgres_pool_size).toBeLessThanOrEqual(CONNECTIONS)
  })

  it.each(only<Entry>('Ingress'))('makes all paths public except the operational ones', (entry) => {
    const published = entry.spec.rules[0].http.paths
    const served = new Set(paths.map((path) => path.split('/')[1] ?? ''))
    for (const name of OPERATIONAL) served.delete(name)
    // Served only if Google sends notifications to the installation.
    served.add('hooks')
    expect(published.map(({ path }) => path.slice(1)).toSorted()).toEqual(
      [...served].filter((name) => name !== '').toSorted(),
    )
    const names = published.map(({ backend }) => backend.service.name)
    expect(new Set(names)).toEqual(new Set([publicService?.metadata.name]))
  })
})

const CHART = 'deploy/helm/vigil'

describe('the chart for Helm, compared', () => {
  const rendered = objectsIn(RENDERED.default)
  const all = objectsIn(RENDERED.all)
  const chart = parse(textOf(CHART, 'Chart.yaml')) as { version: string; appVersion: string }
  const values = parse(textOf(CHART, 'values.yaml')) as Record<string, unknown>
  const validate = new Ajv({ allowUnionTypes: true }).compile(
    JSON.parse(textOf(CHART, 'values.schema.json')) as object,
  )

  it('has the version of the program', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string }
    expect([chart.version, chart.appVersion]).toEqual([version, version])
  })

  it('runs what the manifests run', () => {
    const shared = ['Deployment', 'Job'].flatMap((kind) => ofKind<Workload>(manifests, kind))
    expect(shared).toHaveLength(3)
    for (const { kind, metadata, spec } of shared) {
      const found = ofKind<Workload>(rendered, kind).find(
        (object) => object.metadata.name === metadata.name,
      )
      const {
        containers,
        topologySpreadConstraints: _,
        ...pod
      } = spec.template.spec as Pod['spec'] & Record<'topologySpreadConstraints', unknown>
      const {
        image: _image,
        envFrom: _envFrom,
        ...container
      } = containers[0] as Container & Record<'image', unknown>
      expect(found?.spec.template.spec).toMatchObject(pod)
      expect(found?.spec.template.spec.containers[0]).toMatchObject(container)
      expect(found?.spec.template.metadata.annotations ?? {}).toMatchObject(
        spec.template.metadata.annotations ?? {},
      )
    }
    const [scaler] = ofKind<Scaler>(manifests, 'HorizontalPodAutoscaler')
    expect(ofKind<Scaler>(rendered, 'HorizontalPodAutoscaler')[0]?.spec).toEqual(scaler?.spec)
    const [ingress] = ofKind<Entry>(manifests, 'Ingress')
    expect(ofKind<Entry>(all, 'Ingress')[0]?.metadata.annotations).toEqual(
      ingress?.metadata.annotations,
    )
  })

  it('migrates before other objects are created, with nothing that the release creates', () => {
    const [job] = ofKind<Workload>(rendered, 'Job')
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade')
    expect(job?.spec.template.spec.serviceAccountName).toBeUndefined()
    expect(ofKind(rendered, 'ServiceAccount')).toHaveLength(1)
    expect(ofKind(all, 'ServiceAccount')).toEqual([])
  })

  it('lets Prometheus find the admin port of each role', () => {
    type Monitor = Named & {
      spec: { selector: { matchLabels: Labels }; endpoints: [{ port: string; path: string }] }
    }
    const [monitor] = ofKind<Monitor>(all, 'ServiceMonitor')
    const [endpoint] = monitor?.spec.endpoints ?? []
    expect(paths).toContain(endpoint?.path)
    const services = ofKind<Balancer & { metadata: { labels: Labels } }>(all, 'Service').filter(
      ({ spec }) => spec.ports[0].name === endpoint?.port,
    )
    for (const { metadata } of services) {
      expect(metadata.labels).toMatchObject(monitor?.spec.selector.matchLabels ?? { none: '' })
    }
    const deployments = ofKind<Workload>(all, 'Deployment')
    expect(services.map(({ spec }) => spec.selector)).toEqual(
      deployments.map(({ spec }) => spec.selector.matchLabels),
    )
    for (const { spec } of deployments) {
      expect(spec.template.metadata.annotations).not.toHaveProperty(['prometheus.io/scrape'])
    }
  })

  it('has a schema that accepts its values, and no other names', () => {
    validate(values)
    expect(validate.errors ?? []).toEqual([])
    validate(parse(textOf('test/helm/all.values.yaml')))
    expect(validate.errors ?? []).toEqual([])
    for (const name of Object.keys(values)) {
      if (name === 'podSecurityContext' || name === 'securityContext') continue
      if (typeof values[name] !== 'object' || Array.isArray(values[name])) continue
      expect(validate({ [name]: { unknown: 'x' } }), name).toBe(false)
    }
    expect(validate({ unknown: {} })).toBe(false)
  })

  it('has all settings as values that are neither secret nor set by the chart', () => {
    const [{ data } = { data: {} }] = ofKind<Named & { data: object }>(rendered, 'ConfigMap')
    const own = Object.keys(data).filter(
      (name) => !Object.keys(values['settings'] as object).includes(name),
    )
    const refused = Object.entries(SETTINGS)
      .map(([name, { secret }]) => ({ name: environmentName(name), secret }))
      .filter(({ name }) => !validate({ settings: { [name]: 1 } }))
      .map(({ name }) => name)
    const secret = Object.entries(SETTINGS).filter(([, setting]) => setting.secret)
    expect(refused.toSorted()).toEqual(
      [...secret.map(([name]) => environmentName(name)), ...own]
        .filter((name) => name !== 'VIGIL_ALLOWED_HOSTS')
        .toSorted(),
    )
  })

  it('reads values that exist', () => {
    const used = namesIn(`${CHART}/templates`).flatMap((file) =>
      [...textOf(CHART, 'templates', file).matchAll(/\.Values\.([\w.]+)/g)].map(
        ([, path = '']) => path,
      ),
    )
    const valueAt = (path: string) =>
      path
        .split('.')
        .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], values)
    expect(used.length).toBeGreaterThan(30)
    expect(
      used.filter((path) => !path.startsWith('settings.') && valueAt(path) === undefined),
    ).toEqual([])
  })
})

/** Changes with everything of the chart, and the values, but comments. */
function chartDigest(options: string): string {
  const files = ['Chart.yaml', 'values.yaml', 'values.schema.json']
  const templates = namesIn(`${CHART}/templates`).toSorted()
  const texts = [
    ...files.map((file) => textOf(CHART, file)),
    ...templates.map((file) => file + textOf(CHART, 'templates', file)),
    options,
  ].map((text) => text.replaceAll(/^ *#.*\n/gm, ''))
  return createHash('sha256').update(texts.join('\0')).digest('hex')
}

const helm = (args: string[]) =>
  spawnSync('helm', args, { cwd: join(packageRoot(), CHART), encoding: 'utf8', timeout: 60_000 })
/** Builds of helm differ in their default. */
const KUBERNETES = ['--kube-version', '1.34.0']
const isInstalled = helm(['version']).status === 0

describe.each([
  { name: 'default' as const, release: 'vigil', options: '' },
  { name: 'all' as const, release: 'prod', options: textOf('test/helm/all.values.yaml') },
])('the rendered chart test/helm/$name.yaml', ({ name, release, options }) => {
  const heading = `# The chart with the digest ${chartDigest(options)}, rendered by \`npx vitest run test/deployments.test.ts -u\`.\n`
  const file = join(packageRoot(), 'test/helm/all.values.yaml')
  const values = options === '' ? [] : ['--values', file]

  it.skipIf(isInstalled)('belongs to the chart (skipped if helm is installed)', () => {
    // With helm, the command in the heading renders it again.
    expect(RENDERED[name].split('\n')[0]).toBe(heading.trimEnd())
  })

  it.skipIf(!isInstalled)('is what helm renders (skipped if helm is not installed)', async () => {
    const place = ['--namespace', kustomization.namespace]
    const { status, stdout, stderr } = helm([
      'template',
      release,
      '.',
      ...KUBERNETES,
      ...place,
      ...values,
    ])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const sorted = objectsIn(stdout).toSorted((a, b) => keyOf(a).localeCompare(keyOf(b), 'en'))
    const documents = sorted.map((object) => stringify(object, { lineWidth: 0 }))
    await expect(heading + documents.join('---\n')).toMatchFileSnapshot(`helm/${name}.yaml`)
  })

  it.skipIf(!isInstalled)('passes helm lint (skipped if helm is not installed)', () => {
    const { status, stdout } = helm(['lint', '--strict', '.', ...KUBERNETES, ...values])
    expect({ status, output: status === 0 ? '' : stdout }).toEqual({ status: 0, output: '' })
  })
})

const keyOf = ({ kind, metadata }: Named): string => `${kind} ${metadata.name}`

type Service = {
  command?: string[]
  environment?: Record<string, string | number>
  ports?: string[]
  volumes?: string[]
  stop_grace_period?: string
  depends_on?: Record<string, unknown>
  build?: unknown
}

describe.each(['compose.yaml', 'deploy/compose/compose.yaml'])('%s', (file) => {
  const { services, volumes } = parse(textOf(file), { merge: true }) as {
    services: Record<string, Service>
    volumes: Record<string, unknown>
  }
  const own = Object.entries(services).filter(([, { build }]) => build !== undefined)

  it.each(own)('starts %s with a command and settings that exist', (_, service) => {
    expectCommand(service.command ?? ['serve'])
    const settings = Object.entries(service.environment ?? {}).map(([name, value]) => {
      const text = String(value).replaceAll(/\$\{(\w+):[-?][^}]*\}/g, '')
      return [name, name in SERVERS ? SERVERS[name as keyof typeof SERVERS] : text]
    })
    const config = readConfig(Object.fromEntries(settings) as Record<string, string>)
    expect(Number.parseInt(service.stop_grace_period ?? '0', 10)).toBeGreaterThan(
      config.drain_seconds + STOP_SECONDS,
    )
    for (const port of service.ports ?? []) expect(port).toBe(`127.0.0.1:8080:${config.port}`)
    for (const volume of service.volumes ?? []) expect(volume).toMatch(config.data_dir ?? '/')
  })

  it('refers to services and volumes that it has', () => {
    const needed = Object.values(services).flatMap(({ depends_on }) =>
      Object.keys(depends_on ?? {}),
    )
    expect(Object.keys(services)).toEqual(expect.arrayContaining(needed))
    const mounted = Object.values(services).flatMap((service) => service.volumes ?? [])
    expect(new Set(mounted.map((volume) => volume.split(':')[0]))).toEqual(
      new Set(Object.keys(volumes)),
    )
  })
})

describe.each(['vigil.service', 'vigil@.service'])('the systemd unit %s', (file) => {
  const lines = textOf('deploy/systemd', file).split('\n')
  const valueOf = (name: string) =>
    lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''

  it('starts the program, and gives it the time to stop', () => {
    const [node, main, ...args] = valueOf('ExecStart').split(' ')
    expect([node, main]).toEqual(['/usr/bin/node', 'dist/src/main.js'])
    for (const role of ['api', 'worker']) {
      expectCommand(args.map((argument) => argument.replace('%i', role)))
    }
    const { drain_seconds } = readConfig({})
    expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThan(drain_seconds + STOP_SECONDS)
  })

  it('never gives up, and can write to its data only', () => {
    expect(valueOf('StartLimitIntervalSec')).toBe('0')
    expect(valueOf('Restart')).toBe('on-failure')
    expect(valueOf('ProtectSystem')).toBe('strict')
    expect(valueOf('StateDirectory')).toMatch(/^vigil/)
    expect(valueOf('CapabilityBoundingSet')).toBe('')
    expect(lines).toContain('NoNewPrivileges=true')
  })
})

describe('the proxies', () => {
  const nginx = textOf('deploy/nginx/vigil.conf')
  const haproxy = textOf('deploy/haproxy/haproxy.cfg')
  const settings = readConfig({})

  it('forward to the port of the service, by API key, and hide what is not public', () => {
    const servers = [...(nginx + haproxy).matchAll(/^ +server (?:\S+ )?10\.0\.0\.\d+:(\d+)/gm)]
    expect(servers.map(([, port]) => Number(port))).toEqual(Array(6).fill(settings.port))
    expect(nginx).toMatch(/map \$http_x_api_key \$vigil_route[^]*hash \$vigil_route consistent;/)
    expect(haproxy).toContain('set-var(txn.route) req.hdr(X-API-Key)')
    expect(nginx).toContain('location = /metrics { deny all; }')
    expect(haproxy).toContain('deny_status 403 if { path /metrics /readyz }')
  })

  it('close idle connections before the service does', () => {
    const seconds = /^ {2}keepalive_timeout (\d+)s;/m.exec(nginx)?.[1]
    const served = /KEEP_ALIVE_TIMEOUT_MS = (\d+)_000/.exec(
      textOf('src/platform/http/server.ts'),
    )?.[1]
    expect(Number(seconds)).toBeLessThan(Number(served))
  })

  it('notice a node that stops before it refuses connections', () => {
    const [, every, failures] = /check inter (\d+)s fall (\d+)/.exec(haproxy) ?? []
    const advised = Number(/VIGIL_DRAIN_SECONDS is (\d+)/.exec(haproxy)?.[1])
    expect(advised).toBeGreaterThan(Number(every) * Number(failures))
    readConfig({ VIGIL_DRAIN_SECONDS: String(advised) })
  })
})
