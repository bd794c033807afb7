/**
 * Device management as a first user sees it: with the emulator that the service runs, with an emulator
 * in its own process, and with pushed notifications.
 */
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startAndroidManagement } from '../../emulators/android-management/index.ts'
import { createClient, PROJECT } from '../support/android-management-client.ts'
import { callMdm, type Policy, retry, signUp, type Token } from './mdm-client.ts'
import {
  createRoom,
  isLinux,
  launch,
  type Room,
  type Running,
  run,
  runJson,
  type Service,
  serve,
  waitFor,
} from './program.ts'
import { type Member, signIn } from './reviewer.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

function newRoom(): Room {
  const room = createRoom()
  closers.push(room.close)
  return room
}

const PATIENCE = { timeout: 60_000, interval: 100 }
const until = async <T>(check: () => T | Promise<T>): Promise<T> =>
  await vi.waitFor(check, PATIENCE)

type Device = { id: string; state: string; serial_number: string; compliance_state: string }
type Installation = { url: string; member: Member }

/** Acts as a browser or a phone at an emulator in another process. */
async function control<T>(emulator: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${emulator}/control/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(answer.status).toBe(200)
  return (await answer.json()) as T
}

/** Follows the documentation from an empty installation to a managed phone. */
async function enrollFirst({ url, member }: Installation, emulator: string): Promise<Device> {
  // Completes the sign-up without the button of its page.
  const callback_url = 'https://console.example/connected'
  const signup = await retry<{ signup_url: string; signup_url_name: string }>(() =>
    callMdm(url, member, ['POST', 'enterprise/signup-url'], { callback_url }),
  )
  expect(await (await fetch(signup.signup_url)).text()).toContain('<form')
  const { signup_url_name } = signup
  const { redirect_url } = await control<{ redirect_url: string }>(
    emulator,
    `signups/${signup_url_name.replace('signupUrls/', '')}`,
    {},
  )
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken')
  const body = { signup_url_name, enterprise_token }
  await retry(() => callMdm(url, member, ['POST', 'enterprise'], body))
  const { qr_content } = await newToken({ url, member })
  await control(emulator, 'phones', { qr_content, serial_number: 'TILL-1' })
  return await until(async () => await activeDevice({ url, member }, 'TILL-1'))
}

async function newToken({ url, member }: Installation): Promise<Token> {
  const request = { name: 'Tills', management_mode: 'fully_managed' }
  const policy = await retry<Policy>(() => callMdm(url, member, ['POST', 'policies'], request))
  const body = { policy_id: policy.id }
  return await retry<Token>(() => callMdm(url, member, ['POST', 'enrollment-tokens'], body))
}

async function activeDevice({ url, member }: Installation, serial: string): Promise<Device> {
  const reply = await callMdm<{ devices: Device[] }>(url, member, ['GET', 'devices'])
  const devices = reply.kind === 'done' ? reply.content.devices : []
  const device = devices.find(({ serial_number }) => serial_number === serial)
  expect(device).toMatchObject({ state: 'active', compliance_state: 'compliant' })
  return device as Device
}

/** Sends the command and waits for the response of the phone. */
async function command({ url, member }: Installation, { id }: Device, type: string): Promise<void> {
  const at = ['POST', `devices/${id}/commands`] as const
  const sent = await callMdm<{ id: string }>(url, member, at, { type })
  const commandId = sent.kind === 'done' ? sent.content.id : ''
  await until(async () => {
    const found = await callMdm<{ commands: object[] }>(url, member, ['GET', `devices/${id}`])
    const commands = found.kind === 'done' ? found.content.commands : []
    expect(commands).toContainEqual(
      expect.objectContaining({ id: commandId, type, status: 'acknowledged' }),
    )
  })
}

async function installed({ ready }: Service): Promise<Installation> {
  if (!ready.first_run) throw new Error('it was not the first start')
  const { org_id } = ready.first_run
  return { url: ready.url, member: { org_id, token: await signIn(ready.url, ready.first_run) } }
}

const find = async (running: Running, pattern: RegExp): Promise<string> =>
  await waitFor(running, () => pattern.exec(running.stdout())?.[1])

const trialOf = ({ ready }: Service): string =>
  (ready as { trial_emulator?: string }).trial_emulator ?? ''

describe.skipIf(!isLinux)('the service without any settings', () => {
  it('prints where its emulated phones are, and manages one across restarts and processes', async () => {
    const { folder: cwd } = newRoom()
    // The default lifetime of a token could end during a slow run.
    const options = { cwd, env: { VIGIL_ACCESS_TOKEN_MINUTES: '1440' } }
    const first = launch(['serve'], options)
    const emulator = await find(first, /^ {2}devices {4}(http:\/\/127\.0\.0\.1:\d+) \(emulated/m)
    const url = await find(first, /^ {2}API {8}(\S+)$/m)
    const file = await find(first, /^ {2}credentials +(\S+)$/m)
    const owner = JSON.parse(readFileSync(file, 'utf8')) as Parameters<typeof signIn>[1]
    const member = { org_id: owner.org_id, token: await signIn(url, owner) }
    const device = await enrollFirst({ url, member }, emulator)
    expect(await (await fetch(emulator)).text()).toContain('<html')

    const second = await serve(options)
    expect(trialOf(second)).toBe(emulator)
    const other = { url: second.ready.url, member }
    await command(other, device, 'LOCK')

    // The second process takes over the emulator with its phone.
    first.child.kill('SIGTERM')
    expect((await first.ended).status).toBe(0)
    await command(other, device, 'REBOOT')
    expect((await second.stop()).status).toBe(0)

    const third = await serve(options)
    const again = { url: third.ready.url, member }
    expect(await activeDevice(again, 'TILL-1')).toEqual({
      ...device,
      last_report_at: expect.any(String) as string,
    })
    await command(again, device, 'LOCK')
    const phones = await control<{ phones: object[] }>(trialOf(third), 'phones')
    expect(phones.phones).toMatchObject([{ serial_number: 'TILL-1', pending_commands: [] }])
    expect((await third.stop()).status).toBe(0)
  })
})

describe.skipIf(!isLinux)('the service with an emulator in its own process', () => {
  it('manages a phone through it, and prints so', async () => {
    const { folder: cwd } = newRoom()
    const args = ['emulate', 'android-management', '--port', '0', '--json']
    const emulator = launch(args, { cwd })
    const line = await waitFor(emulator, () => /^\{.*\}$/m.exec(emulator.stdout())?.[0])
    const output = JSON.parse(line) as { kind: string; url: string }
    expect(output).toEqual({
      kind: 'android-management',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
    })
    const env = { VIGIL_ANDROID_MANAGEMENT_URL: output.url }
    const service = await serve({ cwd, env })
    expect(trialOf(service)).toBe('')
    const installation = await installed(service)
    const device = await enrollFirst(installation, output.url)
    await command(installation, device, 'LOCK')
    expect(await runJson(['mdm', 'status'], { cwd, env })).toMatchObject({
      connection: null,
      emulator: output.url,
      enterprises: 1,
      devices: 1,
    })
    expect((await run(['mdm', 'status'], { cwd, env })).stdout).toContain(output.url)
    expect((await service.stop()).status).toBe(0)
    emulator.child.kill('SIGTERM')
    expect(await emulator.ended).toMatchObject({ status: 0, stderr: '' })
  })
})

describe.skipIf(!isLinux)('the service with pushed notifications', () => {
  it('accepts only those that the provider has signed', async () => {
    const { folder: cwd } = newRoom()
    const emulator = await startAndroidManagement({ port: 0 })
    closers.push(emulator.close)
    const audience = 'https://vigil.example/hooks/android-management'
    const serviceAccountEmail = 'push@vigil-emulator.iam.gserviceaccount.com'
    const env = {
      VIGIL_ANDROID_MANAGEMENT_URL: emulator.url,
      VIGIL_ANDROID_PUSH_AUDIENCE: audience,
      VIGIL_ANDROID_PUSH_ACCOUNT: serviceAccountEmail,
    }
    const service = await serve({ cwd, env })
    const installation = await installed(service)
    const { url, member } = installation
    await signUp(url, member, emulator.control)
    const pushEndpoint = url.replace(/v1$/, 'hooks/android-management')
    const client = await createClient(emulator)
    const subscribed = await client.call('PUT', `${PROJECT}/subscriptions/pushed`, {
      topic: `${PROJECT}/topics/vigil-android`,
      pushConfig: { pushEndpoint, oidcToken: { serviceAccountEmail, audience } },
    })
    expect(subscribed.status).toBe(200)
    const { qr_content } = await newToken(installation)
    const phone = emulator.control.enrollPhone({ qr_content, serial_number: 'TILL-1' })
    const device = await until(async () => await activeDevice(installation, 'TILL-1'))
    await command(installation, device, 'LOCK')
    expect(emulator.control.requests().filter(({ path }) => path.endsWith(':pull'))).toEqual([])

    const report = { state: 'DELETED', name: phone.device_name }
    const forged = JSON.stringify({
      message: {
        messageId: '1',
        attributes: { notificationType: 'STATUS_REPORT' },
        data: Buffer.from(JSON.stringify(report)).toString('base64'),
      },
    })
    for (const authorization of [undefined, 'Bearer forged.forged.forged']) {
      const answer = await fetch(pushEndpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        body: forged,
      })
      expect(answer.status).toBe(401)
    }
    expect(await activeDevice(installation, 'TILL-1')).toMatchObject({ id: device.id })
    expect((await service.stop()).status).toBe(0)
  })
})
