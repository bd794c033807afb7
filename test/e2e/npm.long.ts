/** The program when it is started by npm, which can be killed too, and by npx. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installInto } from './installation.ts'
import { isLinux, launch, MAIN, type Room, type Running, run, useRoom, waitFor } from './program.ts'

const createRoom = useRoom()

type Installed = { cwd: string; main: string; room: Room }

function install(startScript?: string): Installed {
  const room = createRoom()
  const cwd = join(room.folder, 'vigil')
  const main = installInto(cwd)
  const file = join(cwd, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { scripts: Record<string, string> }
  // The installation is already built and has no sources.
  delete manifest.scripts['prestart']
  if (startScript !== undefined) manifest.scripts['start'] = startScript
  writeFileSync(file, JSON.stringify(manifest))
  return { cwd, main, room }
}

/** The registry is unreachable, because npm must not need it. */
const offline = (cwd: string): Record<string, string> => ({
  HOME: cwd,
  npm_config_registry: 'http://127.0.0.1:1',
  npm_config_update_notifier: 'false',
  npm_config_cache: join(cwd, '.npm'),
})

async function npmStart(cwd: string): Promise<Running> {
  const npm = launch(['start'], { cwd, program: 'npm', env: offline(cwd), detached: true })
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
    const installed = install()
    const npm = await npmStart(installed.cwd)
    end(npm.pid)
    await npm.ended
    await installed.room.empty()
  })

  it('ends all processes on SIGKILL to npm when a shell stays between npm and the program', async () => {
    const installed = install('node dist/src/main.js serve && true')
    const npm = await npmStart(installed.cwd)
    process.kill(npm.pid, 'SIGKILL')
    await npm.ended
    await installed.room.empty()
  })
})

describe.skipIf(!isLinux)('npx vigil', () => {
  it('runs the program of the checkout, without a network', async () => {
    const { cwd, main } = install()
    chmodSync(main, 0o644)
    const options = { cwd, program: 'npx', env: offline(cwd) }
    for (let time = 0; time < 2; time += 1) {
      const { status, stdout, stderr } = await run(['vigil', '--version'], options)
      expect({ status, stdout, stderr }).toMatchObject({ status: 0 })
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    }
    const { status, stderr } = await run(['vigil', 'key', 'list', '--org', 'x'], options)
    expect(status).toBe(1)
    expect(stderr).toContain('The database is empty. Run `vigil migrate`')
  })

  it('finds the built program executable without a link by npm', () => {
    expect(statSync(MAIN).mode & 0o111).toBe(0o111)
  })
})
