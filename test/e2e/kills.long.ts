/** A first start that is killed at any time leaves no partial state. */
import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { withDatabase } from './books.ts'
import { killProcessesOf } from './processes.ts'
import { isLinux, launch, pause, type Running, serve, useRoom } from './program.ts'

const ROUNDS = Number(process.env['E2E_ROUNDS'] ?? '4')
const ROUND_TIMEOUT_MS = 30_000
/** Duration of a first start on an idle machine. */
const START_MS = 2000

const createRoom = useRoom()

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
  { what: 'Vigil and all its child processes', kill: (folder: string) => killProcessesOf(folder) },
]

describe.skipIf(!isLinux).each(ways)('a first start with $what killed', ({ kill }) => {
  it('ends all processes, and the next start completes the installation', {
    timeout: ROUNDS * ROUND_TIMEOUT_MS,
  }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { folder: cwd, empty, close } = createRoom()
      const starting = launch(['serve', '--json'], { cwd })
      // Spread evenly over the duration of a start, with a random part.
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
      expect(left).toEqual([
        'android-management',
        'first-start.json',
        'master.key',
        'postgres',
        'run',
      ])
      await close()
    }
  })
})
