/**
 * A demo in a folder: it is opened, filled when the folder is new or filling was interrupted, brought
 * up to date otherwise, and continued until it is closed.
 */
import { sql } from 'kysely'
import { createHttp, createParts, openCore, servicesOf, startJobs } from '../src/app/index.ts'
import { partsInOrder } from '../src/app/parts.ts'
import { openStores } from '../src/app/stores.ts'
import { readConfig } from '../src/config.ts'
import { isEngineInstalled } from '../src/platform/clickhouse/embedded/installed.ts'
import { createLog } from '../src/platform/log.ts'
import type { Database } from '../src/platform/postgres/db.ts'
import { createRandom } from '../src/platform/random.ts'
import { createStoryClock, type StoryClock } from './clock.ts'
import { startEmulators } from './emulators.ts'
import type { DemoService, ReplayContext } from './fill/context.ts'
import { connectChannels } from './fill/notifications.ts'
import { startAnalytics } from './fill/telemetry.ts'
import { updateReceiverPort } from './fill/webhooks.ts'
import { fillDemo } from './index.ts'
import { enlarge, requireDisk } from './large/index.ts'
import { catchUp, continueLive, type Live } from './live.ts'
import { lockFolder } from './lock.ts'
import {
  clearFolder,
  type FilledManifest,
  FORMAT,
  findDemo,
  type People,
  writeManifest,
} from './manifest.ts'
import { restorePhones } from './push-keys.ts'
import type { StoryOptions } from './story/event.ts'
import { openStory } from './story/story.ts'

export type OpenOptions = Omit<StoryOptions, 'end'> & {
  /** Share of the full size of a large demo; undefined for the month alone. */
  large_scale: number | undefined
  folder: string
  /** Settings of the service; the demo itself sets all others. */
  environment: Record<string, string | undefined>
  /** Deletes the contents of the folder first. */
  reset: boolean
  progress: (line: string) => void
}

export type Demo = DemoService & {
  people: People
  story: StoryOptions
  /** `began` when this start filled it. */
  state: 'began' | 'continued'
  counts: Record<string, number>
  /** Starts the jobs of the service and the live events. */
  begin(url: string): void
  close(): Promise<void>
}

const MANIFEST_INTERVAL_MS = 30_000
const DRAIN_MS = 1000
/** The large demo has deliveries of half a year. */
const LARGE_SETTINGS = { VIGIL_EVENT_RETENTION_DAYS: '400', VIGIL_DELIVERY_RETENTION_DAYS: '400' }

/** @throws OperatorError when the folder has other contents */
export async function openDemo(options: OpenOptions): Promise<Demo> {
  const { folder, reset, progress, seed, days, scale, large_scale } = options
  const found = findDemo(folder)
  if (large_scale !== undefined && (reset || typeof found === 'string')) {
    requireDisk(folder, large_scale)
  }
  if (found === 'unfinished' && !reset) {
    progress('The demo is incomplete or was filled by another version, so it is filled again')
  }
  let release = lockFolder(folder, typeof found === 'string' ? undefined : found.url)
  const former = reset || typeof found === 'string' ? undefined : found
  if (former && !isSame(former, options)) {
    const { story } = former
    progress(
      `The demo continues with the options that it was filled with (seed ${story.seed}, ${story.days} days, scale ${former.large_scale ?? story.scale}). Use --reset to fill it again`,
    )
  }
  const clock = createStoryClock()
  const story = former?.story ?? { seed, days, scale, end: clock.now().getTime() }
  if (!former) {
    if (found !== 'nothing') {
      clearFolder(folder)
      release = lockFolder(folder)
    }
    const told_until = story.end
    writeManifest(folder, { format: FORMAT, state: 'filling', story, large_scale, told_until })
  }
  const environment = {
    ...options.environment,
    ...((former ?? options).large_scale !== undefined && LARGE_SETTINGS),
  }
  const opening = { ...options, environment }
  const service = await openService(opening, { clock, release }, former?.receiver_port)
  try {
    return former ? await resume(service, options, former) : await fill(service, options, story)
  } catch (error) {
    await service.close()
    throw error
  }
}

const isSame = ({ story, large_scale }: FilledManifest, options: OpenOptions): boolean =>
  story.seed === options.seed &&
  story.days === options.days &&
  story.scale === options.scale &&
  large_scale === options.large_scale

type Opened = DemoService & { close(): Promise<void> }

async function openService(
  { folder, environment, progress }: OpenOptions,
  { clock, release }: { clock: StoryClock; release: () => void },
  receiver_port: number | undefined,
): Promise<Opened> {
  const closers: (() => Promise<void>)[] = [() => Promise.resolve(release())]
  const close = async () => {
    for (const each of closers.splice(0).toReversed()) await each().catch(() => undefined)
  }
  try {
    const port = receiver_port === undefined ? {} : { receiver_port }
    const emulators = await startEmulators({ clock, folder, ...port })
    closers.push(emulators.close)
    const settings = { ...environment, ...emulators.settings, VIGIL_DATA_DIR: folder }
    const config = readConfig(settings)
    const log = createLog(config.log_level)
    const usual = { config, log, data_dir: folder, progress }
    const stores = await openStores({ ...usual, clock, migrates: true })
    closers.push(stores.close)
    await disableSynchronousCommit(stores.db)
    const core = await openCore(stores, config, emulators.outside)
    const parts = await createParts(core)
    const http = await createHttp(core, parts)
    closers.push(http.close, async () => {
      const dispatchers = partsInOrder(parts).flatMap((part) => part.dispatchers ?? [])
      await Promise.all(dispatchers.map((each) => each.stop(DRAIN_MS)))
    })
    return {
      stores,
      core,
      parts,
      services: servicesOf(parts),
      config,
      app: http.app,
      clock,
      emulators,
      has_logs: isEngineInstalled(),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A demo may lose data in a power failure. Waiting for the disk would take a third of the time of filling. */
async function disableSynchronousCommit(db: Database): Promise<void> {
  await sql`alter system set synchronous_commit = off`.execute(db)
  await sql`select pg_reload_conf()`.execute(db)
}

async function fill(service: Opened, options: OpenOptions, story: StoryOptions): Promise<Demo> {
  const { progress, large_scale } = options
  const filled = await fillDemo(service, { ...story, end: new Date(story.end), progress })
  const { counts, ...people } = filled
  if (large_scale !== undefined) {
    const { org_id } = people
    Object.assign(counts, await enlarge({ ...service, org_id, scale: large_scale, progress }))
    progress('Hourly sums of usage')
    // A service that had run for half a year would have them.
    await service.services.volumes.fold(service.clock.now())
  }
  const { port: receiver_port } = service.emulators.receiver
  const manifest: FilledManifest = {
    format: FORMAT,
    state: 'filled',
    story,
    large_scale,
    told_until: story.end,
    people,
    receiver_port,
  }
  return serveDemo(service, options, manifest, { state: 'began', counts })
}

async function resume(
  service: Opened,
  options: OpenOptions,
  former: FilledManifest,
): Promise<Demo> {
  const { stores, emulators, clock } = service
  await restorePhones(stores.db, emulators)
  await updateReceiverPort(service, former.people)
  await connectChannels(service, former.people)
  startAnalytics(service)
  const orders = await catchUp(contextOf(service, former), former.told_until)
  const { port: receiver_port } = emulators.receiver
  const { url: _url, fcm_url: _fcm, ...rest } = former
  const manifest = { ...rest, told_until: clock.now().getTime(), receiver_port }
  return serveDemo(service, options, manifest, { state: 'continued', counts: { orders } })
}

const contextOf = (service: DemoService, { story, people }: FilledManifest): ReplayContext => ({
  ...service,
  story: openStory(story),
  people,
})

function serveDemo(
  service: Opened,
  { folder }: OpenOptions,
  manifest: FilledManifest,
  result: Pick<Demo, 'state' | 'counts'>,
): Demo {
  const { core, parts, clock } = service
  const { story, people } = manifest
  let url: string | undefined
  let live: Live | undefined
  let timer: NodeJS.Timeout | undefined
  let jobs: ReturnType<typeof startJobs> | undefined
  const write = () => {
    const told_until = live?.simulatedUntil() ?? manifest.told_until
    const served = url !== undefined && { url, fcm_url: service.emulators.fcm.url }
    writeManifest(folder, { ...manifest, told_until, ...served })
  }
  write()
  return {
    ...service,
    ...result,
    people,
    story,
    begin: (at) => {
      url = at
      write()
      jobs = startJobs(core, parts)
      const random = createRandom(story.seed, `live ${clock.now().getTime()}`)
      live = continueLive(contextOf(service, manifest), random, manifest.told_until)
      timer = setInterval(write, MANIFEST_INTERVAL_MS)
      timer.unref()
    },
    close: async () => {
      clearInterval(timer)
      await live?.stop()
      url = undefined
      write()
      await jobs?.stop()
      await service.close()
    },
  }
}
