/** Starts a real PgBouncer in front of the PostgreSQL server of the tests, where the program is installed. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PostgresAddress } from '../../src/platform/postgres/embedded/place.ts'
import { postgresAddress } from '../database.ts'
import { freePort } from '../e2e/free-port.ts'
import { startRelay } from './relay.ts'

export type PgBouncer = { port: number; stop(): Promise<void> }

/** Its folder, which the system has but not every account has in its path. */
const PROGRAMS = ['pgbouncer', '/usr/sbin/pgbouncer']
/** The program refuses to run as root. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

export const pgBouncerProgram = PROGRAMS.find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
)

/** @param settings of `[pgbouncer]`, in addition to where it listens; all others have their defaults */
export async function startPgBouncer(
  settings: Record<string, string>,
  server: PostgresAddress = postgresAddress(),
): Promise<PgBouncer> {
  const { user } = server
  // The account cannot enter the folder of the server's socket.
  const relay = await startRelay(server)
  relay.open()
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'vigil-pgbouncer-'))
  chmodSync(folder, 0o755)
  const file = join(folder, 'pgbouncer.ini')
  const lines = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', ...settings }
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=127.0.0.1 port=${relay.port} user=${user}`,
      '[pgbouncer]',
      'auth_type = any',
      ...Object.entries(lines).map(([name, value]) => `${name} = ${value}`),
    ].join('\n'),
  )
  const child = spawn(pgBouncerProgram ?? '', [file], {
    ...ACCOUNT,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const output: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    output.push(line)
    if (line.includes('process up')) break
  }
  if (!output.at(-1)?.includes('process up')) throw new Error(output.join('\n'))
  child.stderr.resume()
  return {
    port,
    stop: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      relay.close()
      rmSync(folder, { recursive: true })
    },
  }
}
