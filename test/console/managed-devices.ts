/** Emulated Android devices for console tests, and a reader for QR codes on the screen. */
import jsqr from 'jsqr'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../../emulators/android-management/index.ts'
import type { DevicePage } from '../../src/modules/mdm/devices/schema.ts'
import type { Signup } from '../../src/modules/mdm/enterprise/schema.ts'
import { completeSignup } from '../support/mdm-fleet.ts'
import { withoutQuota } from '../support/mdm-world.ts'
import { type ConsoleHarness, useConsole } from './harness.ts'

const ACTIVE_MS = 30_000

/** A console whose devices are emulated, as in `vigil serve` without a connection to Google. */
export function useManagedDevices(settings: Record<string, string> = {}): {
  harness: () => ConsoleHarness
  emulator: () => AndroidEmulator
} {
  let emulator: AndroidEmulator | undefined
  beforeAll(async () => {
    emulator = await startAndroidManagement({ port: 0 })
  })
  const harness = useConsole({
    settings: { ...withoutQuota(), ...settings },
    trialUrl: () => Promise.resolve(emulator?.url),
  })
  afterAll(async () => await emulator?.close())
  return {
    harness,
    emulator: () => {
      if (!emulator) throw new Error('The emulator is only available inside tests')
      return emulator
    },
  }
}

/** Creates an organization with an Android enterprise. */
export async function createManagedOrganization(
  harness: ConsoleHarness,
  emulator: AndroidEmulator,
) {
  const shop = await harness.createOrganization()
  const token = await harness.signIn(shop.org_id)
  const send = async <Content>(method: 'POST' | 'PATCH', path: string, body: object) => {
    const url = `/v1/mdm/${path}?org_id=${shop.org_id}`
    const answer = await harness.call<Content>({ method, path: url, token, body })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.body.message}`)
    return answer.body.content
  }
  const post = async <Content>(path: string, body: object) =>
    await send<Content>('POST', path, body)
  const callback_url = 'http://127.0.0.1/back'
  const signup = await post<Signup>('enterprise/signup-url', { callback_url })
  await post('enterprise', completeSignup({ emulator }, signup, 'Example Stores'))
  const addPolicy = async (fields: object = {}) =>
    await post<{ id: string }>('policies', {
      name: 'POS',
      management_mode: 'fully_managed',
      ...fields,
    })
  /** Enrolls a device with a policy. @returns the device in the emulator */
  const enroll = async (policy_id: string, phone: Record<string, unknown> = {}) => {
    const { token_value } = await post<{ token_value: string }>('enrollment-tokens', { policy_id })
    return emulator.control.enrollPhone({ token_value, reaction_ms: 0, ...phone })
  }
  const devices = async () => {
    const path = `/v1/mdm/devices?org_id=${shop.org_id}`
    const { body } = await harness.get<DevicePage>(path, { token })
    return body.content.devices
  }
  /** Devices need a moment to apply their policy and to report it. */
  const untilActive = async (number: number) =>
    await expect
      .poll(async () => (await devices()).filter(({ state }) => state === 'active').length, {
        timeout: ACTIVE_MS,
      })
      .toBe(number)
  return { ...shop, token, post, send, addPolicy, enroll, devices, untilActive }
}

type Pixels = { width: number; height: number; rgba: string }

/** Reads a QR code as a phone would. */
export async function readQrCode(page: Page, code: Locator): Promise<string | undefined> {
  const png = (await code.screenshot()).toString('base64')
  const { width, height, rgba } = await page.evaluate<Pixels>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, image.width, image.height)
    let text = ''
    for (let at = 0; at < data.length; at += 4096) {
      text += String.fromCharCode(...data.subarray(at, at + 4096))
    }
    return { width: image.width, height: image.height, rgba: btoa(text) }
  })()`)
  const data = new Uint8ClampedArray(Buffer.from(rgba, 'base64'))
  return jsqr.default(data, width, height)?.data
}

/** Waits until nothing on the page is loading. */
export async function settle(page: Page) {
  await page.locator('main h1').waitFor()
  await expect.poll(async () => await page.locator('main .state .spinner').count()).toBe(0)
}
