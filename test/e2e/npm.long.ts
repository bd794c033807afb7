/** The program when it is started by npm, which can be killed too, and by npx. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installInto } from './installation.ts'
import {
  createRoom,
  isLinux,
  launch,
  MAIN,
  type Room,
  type Running,
  run,
  waitFor,
} from './program.ts'

/** Tests share an installation and its data, because a first start takes seconds. */
let room: Room
let cwd = ''
let main = ''
beforeAll(() => {
  if (!isLinux) return
  room = createRoom()
  cwd = join(room.folder, 'vigil')
  main = installInto(cwd)
  // The installation is already built and has no sources.
  changeScripts(({ prestart: _prestart, ...scripts }) => scripts)
})
afterAll(async () => {
  if (isLinux) await room.close()
})

type Scripts = Record<string, string>

function changeScripts(change: (scripts: Scripts) => Scripts): void {
  const file = join(cwd, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { scripts: Scripts }
  writeFileSync(file, JSON.stringify({ ...manifest, scripts: change(manifest.scripts) }))
}

/** The registry is unreachable, because npm must not need it. */
const offline = (): Record<string, string> => ({
  HOME: cwd,
  npm_config_registry: 'http://127.0.0.1:1',
  npm_config_update_notifier: 'false',
  npm_config_cache: join(cwd, '.npm'),
})

async function npmStart(): Promise<Running> {
  const npm = launch(['start'], { cwd, program: 'npm', env: offline(), detached: true })
  await waitFor(npm, () => /^ {2}credentials +\S+$/m.exec(npm.stdout())?.[0])
  return npm
}

describe.skipIf(!isLinux)('npm start', () => {
  it.each([
    ['Ctrl-C', (pid: number) => process.kill(-pid, 'SIGINT')],
    ['SIGTERM to npm alone', (pid: number) => process.kill(pid, 'SIGTERM')],
    ['SIGHUP to the group', (pid: number) => process.kill(-pid, 'SIGHUP')],
    ['SIGKILL to npm alone', (pid: number) => process.kill(pid, 'SIGKILL')],
  ])('ends all processes on %s', async (_what, end) => {
    const npm = await npmStart()
    end(npm.pid)
    await npm.ended
    await room.empty()
  })

  it('ends all processes on SIGKILL to npm when a shell stays between npm and the program', async () => {
    changeScripts((scripts) => ({ ...scripts, start: 'node dist/src/main.js serve && true' }))
    const npm = await npmStart()
    process.kill(npm.pid, 'SIGKILL')
    await npm.ended
    await room.empty()
  })
})

describe.skipIf(!isLinux)('npx vigil', () => {
  it('runs the program of the checkout, without a network', async () => {
    chmodSync(main, 0o644)
    const options = { cwd, program: 'npx', env: offline() }
    for (let time = 0; time < 2; time += 1) {
      const { status, stdout, stderr } = await run(['vigil', '--version'], options)
      expect({ status, stdout, stderr }).toMatchObject({ status: 0 })
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    }
    const env = { ...offline(), VIGIL_DATA_DIR: join(room.folder, 'empty') }
    const { status, stderr } = await run(['vigil', 'key', 'list', '--org', 'x'], {
      ...options,
      env,
    })
    expect(status).toBe(1)
    expect(stderr).toContain('The database is empty. Run `vigil migrate`')
  })

  it('finds the built program executable without a link by npm', () => {
    expect(statSync(MAIN).mode & 0o111).toBe(0o111)
  })
})
