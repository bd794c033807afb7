/**
 * A demonstration in a folder: opened, filled when it is new or was cut off, brought up to date when it
 * is not, and kept going until it is closed.
 */
import { sql } from 'kysely'
import { createHttp, createServices } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { startJobs } from '../src/jobs.ts'
import { createLog } from '../src/platform/log.ts'
import type { Database } from '../src/platform/postgres/db.ts'
import { createRandom } from '../src/platform/random.ts'
import { openStores } from '../src/stores.ts'
import { createStoryClock, type StoryClock } from './clock.ts'
import type { DemoService, Telling } from './fill/context.ts'
import { readdress } from './fill/webhooks.ts'
import { hold } from './hold.ts'
import { fillDemo } from './index.ts'
import { catchUp, goOn, type Live } from './live.ts'
import { startOutside } from './outside.ts'
import { clear, findDemo, type Note, type People, writeNote } from './place.ts'
import { restorePhones } from './push-keys.ts'
import type { StoryOptions } from './story/event.ts'
import { recall } from './story/story.ts'

export type OpenOptions = Omit<StoryOptions, 'end'> & {
  folder: string
  /** What the service is told besides; the demonstration sets the rest itself. */
  environment: Record<string, string | undefined>
  working_folder: string
  /** What is there is thrown away. */
  reset: boolean
  progress: (line: string) => void
}

export type Demo = DemoService & {
  people: People
  story: StoryOptions
  /** `began`: it was filled now. */
  state: 'began' | 'continued'
  counts: Record<string, number>
  /** Starts the jobs of the service, and what happens by itself. */
  begin(url: string): void
  close(): Promise<void>
}

const NOTE_INTERVAL_MS = 30_000
const DRAIN_MS = 1000

/** @throws OperatorError when the folder holds something else */
export async function openDemo(options: OpenOptions): Promise<Demo> {
  const { folder, reset, progress, seed, days, scale } = options
  const found = findDemo(folder)
  if (found === 'unfinished' && !reset) {
    progress('Filling was cut off the last time; it begins again')
  }
  let release = hold(folder, typeof found === 'string' ? undefined : found.url)
  const kept = reset || typeof found === 'string' ? undefined : found
  if (kept && !isSame(kept.story, options)) {
    const { seed: was, days: long, scale: much } = kept.story
    progress(
      `It goes on as it began (seed ${was}, ${long} days, scale ${much}); --reset begins anew`,
    )
  }
  const clock = createStoryClock()
  const story = kept?.story ?? { seed, days, scale, end: clock.now().getTime() }
  if (!kept) {
    if (found !== 'nothing') {
      clear(folder)
      release = hold(folder)
    }
    writeNote(folder, { format: 1, state: 'filling', story, told_until: story.end })
  }
  const service = await openService(options, { clock, release }, kept?.receiver_port)
  try {
    return kept ? await goOnWith(service, options, kept) : await beginWith(service, options, story)
  } catch (error) {
    await service.close()
    throw error
  }
}

const isSame = (story: StoryOptions, { seed, days, scale }: OpenOptions): boolean =>
  story.seed === seed && story.days === days && story.scale === scale

type Opened = DemoService & { close(): Promise<void> }

async function openService(
  { folder, environment, working_folder, progress }: OpenOptions,
  { clock, release }: { clock: StoryClock; release: () => void },
  receiver_port: number | undefined,
): Promise<Opened> {
  const closers: (() => Promise<void>)[] = [
    () => {
      release()
      return Promise.resolve()
    },
  ]
  const close = async () => {
    for (const each of closers.splice(0).toReversed()) await each().catch(() => undefined)
  }
  try {
    const outside = await startOutside({
      clock,
      folder,
      ...(receiver_port !== undefined && { receiver_port }),
    })
    closers.push(outside.close)
    const config: Config = readConfig({
      ...environment,
      ...outside.settings,
      VIGIL_DATA_DIR: folder,
    })
    const log = createLog(config.log_level)
    const stores = await openStores({ config, log, working_folder, progress, clock })
    closers.push(stores.close)
    await hurry(stores.db)
    const services = await createServices(stores, config, outside.beside)
    const http = await createHttp(stores, services, config)
    closers.push(http.close)
    const { telemetry, push, device_management, webhook_dispatcher } = services
    closers.push(async () => {
      const dispatchers = [
        ...telemetry.flushers,
        ...push.running,
        ...device_management.running,
        webhook_dispatcher,
      ]
      await Promise.all(dispatchers.map((each) => each.stop(DRAIN_MS)))
    })
    return { stores, services, config, app: http.app, clock, outside, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What is lost with the power is a demonstration. Waiting for the disk is a third of the filling. */
async function hurry(db: Database): Promise<void> {
  await sql`alter system set synchronous_commit = off`.execute(db)
  await sql`select pg_reload_conf()`.execute(db)
}

async function beginWith(
  service: Opened,
  options: OpenOptions,
  story: StoryOptions,
): Promise<Demo> {
  const { seed, days, scale } = story
  const { progress } = options
  const filled = await fillDemo(service, { seed, days, scale, end: new Date(story.end), progress })
  const { counts, ...people } = filled
  const note: Note = {
    format: 1,
    state: 'filled',
    story,
    told_until: story.end,
    people,
    receiver_port: service.outside.receiver.port,
  }
  return running(service, options, { note, people, state: 'began', counts })
}

async function goOnWith(
  service: Opened,
  options: OpenOptions,
  kept: Note & { people: People },
): Promise<Demo> {
  const { stores, outside, services, clock } = service
  await restorePhones(stores.db, outside)
  await readdress(service, kept.people)
  stores.analytics.start()
  const telling = tellingOf(service, kept)
  for (const flusher of services.telemetry.flushers) flusher.start()
  const orders = await catchUp(telling, kept.told_until)
  const note = { ...kept, told_until: clock.now().getTime(), receiver_port: outside.receiver.port }
  return running(service, options, {
    note,
    people: kept.people,
    state: 'continued',
    counts: { orders },
  })
}

const tellingOf = (
  service: DemoService,
  { story, people }: Pick<Note, 'story'> & { people: People },
): Telling => ({ ...service, story: recall(story), people })

type Told = { note: Note; people: People } & Pick<Demo, 'state' | 'counts'>

function running(
  service: Opened,
  options: OpenOptions,
  { note, people, state, counts }: Told,
): Demo {
  const { stores, services, config, clock } = service
  const { url: _former, ...about } = note
  const { story } = about
  let url: string | undefined
  let live: Live | undefined
  let timer: NodeJS.Timeout | undefined
  let jobs: ReturnType<typeof startJobs> | undefined
  const write = () =>
    writeNote(options.folder, {
      ...about,
      told_until: live?.toldUntil() ?? note.told_until,
      ...(url !== undefined && { url }),
    })
  write()
  return {
    ...service,
    people,
    story,
    state,
    counts,
    begin: (at) => {
      url = at
      write()
      jobs = startJobs(stores, services, config)
      const telling = tellingOf(service, { story, people })
      const random = createRandom(story.seed, `live ${clock.now().getTime()}`)
      live = goOn(telling, random, note.told_until)
      timer = setInterval(write, NOTE_INTERVAL_MS)
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
