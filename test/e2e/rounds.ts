/** Who is killed under load, time and again, and what has to be back before the test goes on. */
import { killEngine, killPostgres } from './processes.ts'
import { pause, type RunOptions, runJson, type Service, serve } from './program.ts'

/** How many times each victim is killed. */
export const ROUNDS = Number(process.env['E2E_ROUNDS'] ?? '5')
export const ROUND_TIMEOUT_MS = 60_000
const LOAD_MIN_MS = 50
const LOAD_SPREAD_MS = 700

/** The instants in which the victims die: any. */
export const untilAnyInstant = (): Promise<void> =>
  pause(LOAD_MIN_MS + Math.random() * LOAD_SPREAD_MS)

/** All that answer, on one database. */
export type Services = [Service, ...Service[]]

export type Round = {
  options: RunOptions
  services: Services
  load: { stop(): Promise<void> }
  /** Looks at what needs the engine. */
  watch?: { isWell(): Promise<boolean>; hasSeenOutage(): boolean }
}

export type Victim = {
  who: string
  /** How many services there are. */
  services: 1 | 2
  /** Kills under load and returns the services that answer afterwards. */
  kill: (round: Round) => Promise<Services>
}

/** The first one; it comes back behind the others, so that it is the turn of all. */
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

export const thePostgres: Victim = {
  who: 'PostgreSQL and all its children',
  services: 1,
  kill: async ({ services, load }) => {
    killPostgres(services[0].ready.data_dir)
    for (const one of services) await untilReady(one)
    await load.stop()
    return services
  },
}

/** Each time that it comes again it dies again, until somebody has seen enough of it. */
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
    // One that dies time and again is started again later and later.
    await load.stop()
    while (!(await watch?.isWell())) await pause(20)
    return services
  },
}

/**
 * Of the long runs, which wait for what heals by itself. In the short form, the service dies as one of
 * two only; orders, checks and logs are there to see it die alone.
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
  // It is still ready in the first moment, when nobody has noticed yet.
  while (await isReady()) await pause(5)
  while (!(await isReady())) await pause(20)
}

/** Resolves when all usage is debited. */
export async function untilPosted(org: string, options: RunOptions): Promise<void> {
  const args = ['credits', 'balance', '--org', org]
  const unposted = async () =>
    (await runJson<{ unposted_usage_credits: number }>(args, options)).unposted_usage_credits
  while ((await unposted()) > 0) await pause(200)
}
