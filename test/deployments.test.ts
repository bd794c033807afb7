/**
 * Checks the examples of `deploy/` and `compose.yaml` against the program: settings, ports, paths, commands
 * and times that they name exist and fit each other.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { withDescribedApp } from '../scripts/described-app.ts'
import { createProgram } from '../src/cli/program.ts'
import { type Config, environmentName, readConfig, SETTINGS } from '../src/config.ts'
import { packageRoot } from '../src/platform/package-root.ts'

const textOf = (...path: string[]): string => readFileSync(join(packageRoot(), ...path), 'utf8')
const namesIn = (folder: string): string[] => readdirSync(join(packageRoot(), folder))

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
  const folders = ['systemd', 'nginx', 'haproxy', 'kubernetes', 'compose']
  const files = folders.flatMap((folder) =>
    namesIn(`deploy/${folder}`).map((file) => `${folder}/${file}`),
  )

  it.each(files)('%s names settings that exist', (file) => {
    const known = Object.keys(SETTINGS).map(environmentName)
    const named =
      textOf('deploy', file).match(/\b(?:VIGIL_[A-Z_]+|(?:DATABASE|REDIS|CLICKHOUSE)_URL)\b/g) ?? []
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })
})

type Named = { kind: string; metadata: { name: string } }
type Labels = Record<string, string>
type Container = {
  args: string[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
}
type Probe = {
  httpGet: { path: string; port: string }
  periodSeconds: number
  failureThreshold: number
}
type Pod = {
  metadata: { labels: Labels }
  spec: {
    terminationGracePeriodSeconds: number
    enableServiceLinks: boolean
    containers: [Container]
  }
}
type Workload = Named & {
  spec: { replicas?: number; selector: { matchLabels: Labels }; template: Pod }
}

describe('the manifests for Kubernetes', () => {
  const { resources, namespace } = parse(textOf('deploy/kubernetes/kustomization.yaml')) as {
    resources: string[]
    namespace: string
  }
  const objects = resources.flatMap((file) =>
    parseAllDocuments(textOf('deploy/kubernetes', file)).map(
      (document) => document.toJS() as Named,
    ),
  )
  const only = <T extends Named>(kind: string): T[] =>
    objects.filter((object) => object.kind === kind) as T[]
  const deployments = only<Workload>('Deployment')
  const [job] = only<Workload>('Job')
  const [map] = only<Named & { data: Record<string, string> }>('ConfigMap')
  const settings: Config = readConfig({ ...map?.data, ...SERVERS })

  it('are all files of the folder', () => {
    const files = namesIn('deploy/kubernetes').filter((file) => file !== 'kustomization.yaml')
    expect(files.toSorted()).toEqual(resources.toSorted())
    expect(only('Namespace').map(({ metadata }) => metadata.name)).toEqual([namespace])
  })

  it.each([...deployments, job])(
    'run commands that exist, without variables of services',
    (workload) => {
      const { spec } = workload?.spec.template ?? {}
      expectCommand(spec?.containers[0].args ?? [])
      expect(spec?.enableServiceLinks).toBe(false)
    },
  )

  it.each(deployments)(
    'probe paths and ports that the settings open: $metadata.name',
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

  it.each(deployments)('give pods the time to stop: $metadata.name', ({ spec }) => {
    const { terminationGracePeriodSeconds: seconds } = spec.template.spec
    expect(seconds).toBeGreaterThan(settings.drain_seconds + STOP_SECONDS)
    const { periodSeconds = 0, failureThreshold = 0 } =
      spec.template.spec.containers[0].readinessProbe ?? {}
    expect(settings.drain_seconds).toBeGreaterThan(periodSeconds * failureThreshold)
  })

  it('refer to each other', () => {
    for (const { spec } of deployments) {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
    }
    const labels = deployments.map(({ spec }) => spec.selector.matchLabels)
    const budgets = only<Workload>('PodDisruptionBudget').map(
      ({ spec }) => spec.selector.matchLabels,
    )
    expect(budgets).toEqual(labels)
    const [scaler] = only<Named & { spec: { scaleTargetRef: { name: string } } }>(
      'HorizontalPodAutoscaler',
    )
    const [service] = only<Named & { spec: { selector: Labels; ports: [{ port: number }] } }>(
      'Service',
    )
    const api = deployments.find(
      ({ metadata }) => metadata.name === scaler?.spec.scaleTargetRef.name,
    )
    expect(service?.spec.selector).toEqual(api?.spec.selector.matchLabels)
    expect(settings.allowed_hosts).toContain(`${service?.metadata.name}.${namespace}.svc`)
  })

  it('need no more connections than PostgreSQL has by default', () => {
    const [scaler] = only<Named & { spec: { maxReplicas: number } }>('HorizontalPodAutoscaler')
    const workers = deployments.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0)
    // A pod of each deployment is replaced at a time, and a job migrates.
    const pods = (scaler?.spec.maxReplicas ?? Infinity) + workers + deployments.length + 1
    expect(pods * settings.postgres_pool_size).toBeLessThanOrEqual(CONNECTIONS)
  })

  it('make all paths public except the operational ones', () => {
    type Path = { path: string; backend: { service: { name: string } } }
    const [ingress] = only<Named & { spec: { rules: [{ http: { paths: Path[] } }] } }>('Ingress')
    const published = ingress?.spec.rules[0].http.paths.map(({ path }) => path.slice(1)) ?? []
    const served = new Set(paths.map((path) => path.split('/')[1] ?? ''))
    for (const name of OPERATIONAL) served.delete(name)
    // Served only if Google sends notifications to the installation.
    served.add('hooks')
    expect(published.toSorted()).toEqual([...served].filter((name) => name !== '').toSorted())
  })
})

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
