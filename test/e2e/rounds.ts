/** Rounds of killing a process under load and waiting for its recovery. */
import { anyOf } from './chance.ts'
import { killMember, membersOf } from './members.ts'
import { killEngine, killPostgres, untilRestarted } from './processes.ts'
import { pause, type RunOptions, runJson, type Service, serve } from './program.ts'
import { signIn } from './reviewer.ts'

/** Number of times that each victim is killed. */
export const ROUNDS = Number(process.env['E2E_ROUNDS'] ?? '5')
export const ROUND_TIMEOUT_MS = 60_000
const LOAD_MIN_MS = 50
const LOAD_SPREAD_MS = 700

/** Waits until the random time at which the victim is killed. */
export const untilAnyInstant = (): Promise<void> =>
  pause(LOAD_MIN_MS + Math.random() * LOAD_SPREAD_MS)

/** Running services on one database. */
export type Services = [Service, ...Service[]]

export type Round = {
  options: RunOptions
  services: Services
  load: { stop(): Promise<void> }
  /** Observes the data that needs the engine. */
  watch?: { isWell(): Promise<boolean>; hasSeenOutage(): boolean }
}

export type Victim = {
  who: string
  /** Number of services. */
  services: 1 | 2
  /** Settings of the services in addition to those of the test. */
  settings?: Record<string, string>
  /** Kills the victim under load and returns the services that run afterwards. */
  kill: (round: Round) => Promise<Services>
}

/** Kills the first service and restarts it as the last, so that every service is killed in turn. */
const killService: Victim['kill'] = async ({ options, services, load }) => {
  const [first, ...others] = services
  await first.stop('SIGKILL')
  if (others.length > 0) await untilAnyInstant()
  await load.stop()
  const [next, ...rest] = others
  const again = await serve(options)
  return next ? [next, ...rest, again] : [again]
}

export const theService: Victim = { who: 'the service', services: 1, kill: killService }

export const oneOfTwo: Victim = { who: 'one of two services', services: 2, kill: killService }

export const aProcess: Victim = {
  who: 'a process of the service',
  services: 1,
  settings: { VIGIL_PROCESSES: '3' },
  kill: async ({ services, load }) => {
    const [service] = services
    await killMember(service, anyOf(membersOf(service)))
    await load.stop()
    return services
  },
}

export const thePostgres: Victim = {
  who: 'PostgreSQL and all its children',
  services: 1,
  kill: async ({ services, load }) => {
    const { data_dir } = services[0].ready
    await untilRestarted(data_dir, killPostgres(data_dir))
    for (const one of services) await untilReady(one)
    await load.stop()
    return services
  },
}

/** Kills the engine after each restart until the outage was observed. */
export const theEngine: Victim = {
  who: 'the analytics engine',
  services: 1,
  kill: async ({ services, load, watch }) => {
    while (!(await watch?.isWell())) await pause(20)
    await untilAnyInstant()
    for (let looks = 0; looks < OUTAGE_LOOKS_MAX && !watch?.hasSeenOutage(); looks += 1) {
      killEngine(services[0].ready.data_dir)
      await watch?.isWell()
      await pause(20)
    }
    await untilAnyInstant()
    // The delay before a restart grows with every crash.
    await load.stop()
    while (!(await watch?.isWell())) await pause(20)
    return services
  },
}

/**
 * Victims of the long tests, which wait for recovery. With few rounds, the service is killed only as one
 * of two, because the tests of orders, checks and logs kill a single service.
 */
export const HEALING_VICTIMS: readonly Victim[] =
  ROUNDS < 4 ? [thePostgres, oneOfTwo] : [theService, thePostgres, oneOfTwo]

const OUTAGE_LOOKS_MAX = 200

async function untilReady({ ready }: Service): Promise<void> {
  const url = ready.url.replace(/v1$/, 'readyz')
  const isReady = async () =>
    await fetch(url).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) await pause(20)
}

/** Starts the services of a new data directory, and signs in as its owner. */
export async function startServices(options: RunOptions, victim: Victim) {
  const first = await serve(options)
  const { first_run: account, data_dir, url } = first.ready
  if (!account) throw new Error('the data directory was not empty')
  const services: Services = victim.services === 2 ? [first, await serve(options)] : [first]
  const { org_id, keys } = account
  return {
    services,
    data_dir,
    url,
    keys: { live: keys.live_secret, test: keys.test_secret },
    member: { org_id, token: await signIn(url, account) },
  }
}

/** Waits until this number of entries was added. */
export async function untilGrown(entries: { size: number }, by: number): Promise<void> {
  const enough = entries.size + by
  while (entries.size < enough) await pause(5)
}

/** Waits until nothing is pending, but not longer than this time, because the audit shows the rest. */
export async function drain(isDone: () => Promise<boolean>, maxMs: number): Promise<void> {
  const until = Date.now() + maxMs
  while (!(await isDone()) && Date.now() < until) await pause(500)
}

export const urlsOf = (services: Services): string[] => services.map(({ ready }) => ready.url)

/** Resolves when all usage is debited. */
export async function untilPosted(org: string, options: RunOptions): Promise<void> {
  const args = ['credits', 'balance', '--org', org]
  const unposted = async () =>
    (await runJson<{ unposted_usage_credits: number }>(args, options)).unposted_usage_credits
  while ((await unposted()) > 0) await pause(200)
}
