/** Pretend phones in front of the console, and a reader of QR codes on its screen. */
import jsqr from 'jsqr'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  type AndroidEmulator,
  startAndroidManagement,
} from '../../emulators/android-management/index.ts'
import { withoutQuota } from '../support/mdm-world.ts'
import { type Desk, expectAccessible, expectFits, useDesk } from './desk.ts'

const ACTIVE_MS = 30_000

/** A desk whose devices are played, as `vigil serve` offers it. */
export function useDevicesDesk(): { desk: () => Desk; emulator: () => AndroidEmulator } {
  let emulator: AndroidEmulator | undefined
  beforeAll(async () => {
    emulator = await startAndroidManagement({ port: 0 })
  })
  const desk = useDesk({
    settings: withoutQuota(),
    trialUrl: () => Promise.resolve(emulator?.url),
  })
  afterAll(async () => await emulator?.close())
  return {
    desk,
    emulator: () => {
      if (!emulator) throw new Error('the emulator is only there inside of tests')
      return emulator
    },
  }
}

/** A shop that has an enterprise. */
export async function createManagedShop(desk: Desk, emulator: AndroidEmulator) {
  const shop = await desk.createShop()
  const token = await desk.signIn(shop.org_id)
  const send = async <Content>(method: 'POST' | 'PATCH', path: string, body: object) => {
    const url = `/v1/mdm/${path}?org_id=${shop.org_id}`
    const answer = await desk.call<Content>({ method, path: url, token, body })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.body.message}`)
    return answer.body.content
  }
  const post = async <Content>(path: string, body: object) =>
    await send<Content>('POST', path, body)
  const begun = await post<{ signup_url_name: string }>('enterprise/signup-url', {
    callback_url: 'http://127.0.0.1/back',
  })
  const { redirect_url } = emulator.control.completeSignup(begun.signup_url_name, {
    display_name: 'Example Stores',
  })
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken')
  await post('enterprise', { ...begun, signup_url: undefined, enterprise_token })
  const addPolicy = async (given: object = {}) =>
    await post<{ id: string }>('policies', {
      name: 'Tills',
      management_mode: 'fully_managed',
      ...given,
    })
  /** Enrols with a policy. @returns the phone at the emulator */
  const enrol = async (policy_id: string, phone: Record<string, unknown> = {}) => {
    const made = await post<{ token_value: string }>('enrollment-tokens', { policy_id })
    return emulator.control.enrolPhone({ token_value: made.token_value, ...phone })
  }
  const devices = async () => {
    const path = `/v1/mdm/devices?org_id=${shop.org_id}`
    const { body } = await desk.call<{ devices: { id: string; state: string }[] }>({
      method: 'GET',
      path,
      token,
    })
    return body.content.devices
  }
  /** Phones take a moment to apply their policy and to report it. */
  const untilActive = async (number: number) =>
    await expect
      .poll(async () => (await devices()).filter(({ state }) => state === 'active').length, {
        timeout: ACTIVE_MS,
      })
      .toBe(number)
  return { ...shop, token, post, send, addPolicy, enrol, devices, untilActive }
}

type Pixels = { width: number; height: number; rgba: string }

/** What a phone that is held before it would read. */
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

/** For everybody, and in a narrow window. */
export async function expectGood(page: Page) {
  await expectAccessible(page)
  await expectFits(page)
}

/** Nothing is loading any more. */
export async function settled(page: Page) {
  await page.locator('main h1').waitFor()
  await expect.poll(async () => await page.locator('main .state .spinner').count()).toBe(0)
}
