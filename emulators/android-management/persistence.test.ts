import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClient, SUBSCRIPTION, until } from '../../test/support/android-management-client.ts'
import { startAndroidManagement } from './index.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'android-management-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const start = () => startAndroidManagement({ port: 0, folder })
const FILE = 'android-management.json'

test('accounts, enterprises, phones, commands and messages survive a restart', async () => {
  const before = await start()
  const client = await createClient(before)
  const enterprise = await client.createEnterprise()
  await client.createPolicy(enterprise, 'default', { cameraDisabled: true })
  const { value } = await client.createToken(enterprise)
  const phone = before.control.enrollPhone({ token_value: value, is_automatic: false })
  const { body: operation } = await client.issue(phone.device_name ?? '', { type: 'LOCK' })
  before.control.advanceClock({ advance_seconds: 60 })
  await client.call('POST', `${SUBSCRIPTION}:pull`, { maxMessages: 1 })
  const truth = before.control.truth()
  const account = before.control.serviceAccount()
  await before.close()

  const after = await start()
  expect({ ...after.control.truth(), now: truth.now }).toEqual(truth)
  expect(after.control.serviceAccount().private_key).toBe(account.private_key)
  const again = await createClient(after)
  // Messages that were pulled and not acknowledged are delivered again.
  expect((await again.drain(2)).map(({ type }) => type)).toEqual(['test', 'ENROLLMENT'])
  after.control.acknowledgeCommand(phone.id, operation.name)
  expect((await again.drain(1)).map(({ type }) => type)).toEqual(['COMMAND'])
  await after.close()
})

test('phones continue pending work after a restart', async () => {
  const before = await start()
  const client = await createClient(before)
  const enterprise = await client.createEnterprise()
  await client.createPolicy(enterprise, 'default')
  const { value } = await client.createToken(enterprise)
  const { id } = before.control.enrollPhone({ token_value: value, reaction_ms: 600_000 })
  before.control.changePhone(id, { reaction_ms: 0 })
  expect(before.control.getPhone(id).applied_state).toBe('PROVISIONING')
  await before.close()
  const after = await start()
  await until(() => after.control.getPhone(id).applied_state === 'ACTIVE')
  await after.close()
})

test('changes are written atomically during operation, readable by the owner only', async () => {
  const emulator = await start()
  const client = await createClient(emulator)
  const enterprise = await client.createEnterprise()
  await until(() => readFileSync(join(folder, FILE), 'utf8').includes(enterprise))
  expect(readdirSync(folder)).toEqual([FILE])
  expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o600)
  await emulator.close()
})

test('a file that cannot be read is named in the error and left unchanged', async () => {
  writeFileSync(join(folder, FILE), '{"broken')
  await expect(start()).rejects.toThrow(FILE)
  expect(readFileSync(join(folder, FILE), 'utf8')).toBe('{"broken')
})

test('a folder that cannot be created is named in the error', async () => {
  writeFileSync(join(folder, 'file'), '')
  const options = { port: 0, folder: join(folder, 'file', 'folder') }
  await expect(startAndroidManagement(options)).rejects.toThrow('The state cannot be stored in')
})
