/** A first start that is killed at any instant leaves nothing that is half. */
import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { withDatabase } from './books.ts'
import { killProcessesOf } from './processes.ts'
import { createRoom, isLinux, launch, pause, type Room, type Running, serve } from './program.ts'

const ROUNDS = Number(process.env['E2E_ROUNDS'] ?? '8')
const ROUND_TIMEOUT_MS = 30_000
/** A first start takes about this long; on a busy machine, longer. */
const START_MS = 2500

let room: Room | undefined
afterEach(async () => {
  await room?.close()
})

type Counts = { organizations: number; owners: number; keys: number }

const countRecords = async (dataDir: string): Promise<Counts | undefined> =>
  await withDatabase(dataDir, async (db) => {
    const { rows } = await sql<Counts>`
      select (select count(*) from organizations) as organizations,
        (select count(*) from memberships where role = 'owner') as owners,
        (select count(distinct type) from api_keys) as keys`.execute(db)
    return rows[0]
  })

const ways = [
  { what: 'Vigil', kill: (_folder: string, { child }: Running) => void child.kill('SIGKILL') },
  { what: 'Vigil and all that it started', kill: (folder: string) => killProcessesOf(folder) },
]

describe.skipIf(!isLinux).each(ways)('a first start, $what killed', ({ kill }) => {
  it('ends everything, and the next start is a first or a complete one', {
    timeout: ROUNDS * ROUND_TIMEOUT_MS,
  }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      room = createRoom()
      const { folder: cwd, empty, close } = room
      const starting = launch(['serve', '--json'], { cwd })
      // From the first instant to the last, evenly, with some chance in it.
      await pause(START_MS * ((round + Math.random()) / ROUNDS))
      kill(cwd, starting)
      await starting.ended
      await empty()

      const service = await serve({ cwd })
      const wasShown = starting.stdout().includes('"first_run"')
      if (wasShown) expect(service.ready.first_run).toBeUndefined()
      await service.stop()
      await empty()
      expect(await countRecords(service.ready.data_dir)).toEqual({
        organizations: 1,
        owners: 1,
        keys: 4,
      })
      const left = readdirSync(service.ready.data_dir).toSorted()
      expect(left).toEqual(['android-management', 'master.key', 'postgres', 'run'])
      await close()
    }
  })
})
