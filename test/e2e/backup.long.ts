/**
 * Backups of a running service, restored elsewhere: everything that was acknowledged before a backup began
 * is in it, also when the restore is killed on its way.
 */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type S3Emulator, startS3 } from '../../emulators/s3.ts'
import { post, sendCheck, startClients, startLoad, type Target } from './load.ts'
import { createLogCount, tokenOf } from './log-count.ts'
import { launch, pause, run, runJson, serve, useRoom } from './program.ts'

const LOAD_MS = Number(process.env['BACKUP_LOAD_MS'] ?? 4000)
const newRoom = useRoom()
const ACCESS = {
  bucket: 'copies',
  access_key_id: 'key-id',
  secret_access_key: 'very secret',
  region: 'us-east-1',
}
let s3: S3Emulator
const temporary = mkdtempSync(join(tmpdir(), 'vigil-verify-'))
beforeAll(async () => {
  s3 = await startS3(ACCESS)
  chmodSync(temporary, 0o777)
})
afterAll(async () => {
  await s3.close()
  rmSync(temporary, { recursive: true })
})

const environment = () => ({
  VIGIL_BACKUP_TO: `s3://${ACCESS.bucket}/vigil`,
  VIGIL_BACKUP_S3_ENDPOINT: s3.url,
  VIGIL_BACKUP_S3_ACCESS_KEY_ID: ACCESS.access_key_id,
  VIGIL_BACKUP_S3_SECRET_ACCESS_KEY: ACCESS.secret_access_key,
  TMPDIR: temporary,
})

it('a backup taken under load has all that was acknowledged before, also after a killed restore', async () => {
  const { folder: cwd } = newRoom()
  const env = environment()
  const service = await serve({ cwd, env })
  const key = service.ready.first_run?.keys.live_secret ?? ''
  const target: Target = { url: service.ready.url, key }
  const load = startLoad(target, 'load')
  let logs = 0
  const senders = startClients(2, async (client, number) => {
    const timestamp = new Date().toISOString()
    const log = { device_id: `device-${client}`, level: 'info', message: `m ${number}`, timestamp }
    const answer = await post(target, '/edge/logs', { logs: [log] })
    if (answer !== undefined) logs += 1
    return answer !== undefined
  })
  await pause(LOAD_MS)
  const before = { checks: new Map(load.acknowledged), logs }
  const { id } = await runJson<{ id: string }>(['backup'], { cwd, env })
  await load.stop()
  await senders.stop()
  const sent = { checks: load.acknowledged.size, logs }
  const verified = await runJson<{ id: string; tables: number; logs_compared: boolean }>(
    ['backup', 'verify'],
    { cwd, env },
  )
  expect(verified).toMatchObject({ id, logs_compared: true })
  await service.stop()

  const { folder: other } = newRoom()
  const data = join(other, 'data')
  mkdirSync(data)
  copyFileSync(join(cwd, 'data', 'master.key'), join(data, 'master.key'))
  const owner = statSync(join(cwd, 'data'))
  for (const path of [data, join(data, 'master.key')]) chownSync(path, owner.uid, owner.gid)
  const killed = launch(['restore'], { cwd: other, env })
  while (!killed.stderr().includes('Restored checks')) await pause(5)
  killed.child.kill('SIGKILL')
  await killed.ended
  expect(await run(['restore'], { cwd: other, env })).toMatchObject({ status: 0 })
  expect((await run(['restore'], { cwd: other, env })).stderr).toContain('--overwrite')

  const restored = await serve({ cwd: other, env })
  const copy: Target = { url: restored.ready.url, key }
  for (const [event_id, checkId] of before.checks) {
    const check = { event_id, email: `${event_id}@mailinator.com` }
    expect(await sendCheck(copy, check)).toBe(checkId)
  }
  const organization = service.ready.first_run?.org_id ?? ''
  const token = await tokenOf(service.ready, { cwd: other, env })
  const total = createLogCount(copy.url, organization, token)
  await expect
    .poll(async () => ((await total()) ?? 0) >= before.logs, { timeout: 30_000 })
    .toBe(true)
  expect(await total()).toBeLessThanOrEqual(sent.logs)
  const balance = await run(['credits', 'balance', '--org', organization], { cwd: other, env })
  expect(balance.stdout).toMatch(/Usage difference +0$/m)
  expect((await restored.stop()).status).toBe(0)
})
