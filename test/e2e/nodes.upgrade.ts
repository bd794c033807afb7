/**
 * An upgrade without downtime: a node of an older version serves requests while a newer one migrates the
 * database, and next to a node of the newer version afterwards. `npm run test:upgrade -- --from REF` builds
 * the older version from a commit or tag.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packageRoot } from '../../src/platform/package-root.ts'
import { post, sendCheck, startClients, startLoad, type Target } from './load.ts'
import { createLogCount, tokenOf } from './log-count.ts'
import {
  launch,
  pause,
  type Ready,
  run,
  serve,
  useRoom,
  waitFor,
  withCredentials,
} from './program.ts'

const LOAD_MS = 5000
const newRoom = useRoom()
const root = packageRoot()
const from = process.env['UPGRADE_FROM'] ?? 'HEAD'
const old = mkdtempSync(join(tmpdir(), 'vigil-old-'))

beforeAll(() => {
  const tar = join(old, 'source.tar')
  execFileSync('git', ['archive', '--format=tar', `--output=${tar}`, from], { cwd: root })
  const source = join(old, 'source')
  mkdirSync(source)
  execFileSync('tar', ['-xf', tar, '-C', source])
  const lock = (folder: string) => readFileSync(join(folder, 'package-lock.json'), 'utf8')
  if (lock(source) === lock(root)) {
    symlinkSync(join(root, 'node_modules'), join(source, 'node_modules'))
  } else execFileSync('npm', ['ci', '--prefer-offline'], { cwd: source, stdio: 'ignore' })
  execFileSync(process.execPath, ['scripts/build.js'], { cwd: source, stdio: 'ignore' })
  execFileSync('chmod', ['-R', 'a+rX', old])
})
afterAll(() => rmSync(old, { recursive: true }))

it('an older node loses no request while a newer one migrates and serves', async () => {
  const { folder: cwd } = newRoom()
  const before = launch([join(old, 'source/dist/src/main.js'), 'serve', '--json'], {
    cwd,
    program: process.execPath,
  })
  const line = await waitFor(before, () => /^\{.*\}$/m.exec(before.stdout())?.[0])
  expect(JSON.parse(line)).not.toHaveProperty('error')
  const ready = withCredentials(JSON.parse(line) as Ready)
  const key = ready.first_run?.keys.live_secret ?? ''
  const target: Target = { url: ready.url, key }
  const load = startLoad(target, 'old')
  const logs = startLogs(target)
  await pause(LOAD_MS)

  const migrated = await run(['migrate'], { cwd })
  expect(migrated).toMatchObject({ status: 0 })
  const service = await serve({ cwd })
  const newer: Target = { url: service.ready.url, key }
  const newLoad = startLoad(newer, 'new')
  const newLogs = startLogs(newer)
  await pause(LOAD_MS)
  for (const each of [load, logs, newLoad, newLogs]) await each.stop()

  expect(before.stderr()).not.toContain('request failed')
  expect({ old: load.open, new: newLoad.open }).toEqual({ old: [], new: [] })
  expect({ old: logs.failed(), new: newLogs.failed() }).toEqual({ old: 0, new: 0 })
  before.child.kill('SIGTERM')
  await before.ended
  // What either acknowledged is returned again by the newer version alone.
  for (const [event_id, id] of [...load.acknowledged, ...newLoad.acknowledged]) {
    const check = { event_id, email: `${event_id}@mailinator.com` }
    expect(await sendCheck(newer, check)).toBe(id)
  }
  const sent = logs.sent() + newLogs.sent()
  const organization = ready.first_run?.org_id ?? ''
  const total = createLogCount(newer.url, organization, await tokenOf(ready, { cwd }))
  await expect.poll(total, { timeout: 30_000 }).toBe(sent)
  const balance = await run(['credits', 'balance', '--org', organization], { cwd })
  expect(balance.stdout).toMatch(/Usage difference +0$/m)
  expect((await service.stop()).status).toBe(0)
})

function startLogs(target: Target) {
  let sent = 0
  let failed = 0
  const clients = startClients(2, async (client, number) => {
    const timestamp = new Date().toISOString()
    const log = { device_id: `device-${client}`, level: 'info', message: `m ${number}`, timestamp }
    const answer = await post(target, '/edge/logs', { logs: [log] })
    if (answer === undefined) failed += 1
    else sent += 1
    return answer !== undefined
  })
  return { stop: clients.stop, sent: () => sent, failed: () => failed }
}
