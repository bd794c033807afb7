/** The phone under an app, whichever provider it belongs to. */
import type { ApnsControl } from '../apns/control.ts'
import type { FcmControl } from '../fcm/control.ts'
import type { Delivery } from '../push-ledger.ts'

/** `phone_id`: one that is there already, by default a new one. */
export type Phone =
  | {
      readonly platform: 'android'
      readonly control: FcmControl
      readonly package_name?: string
      readonly phone_id?: string
    }
  | {
      readonly platform: 'ios'
      readonly control: ApnsControl
      readonly bundle_id?: string
      readonly phone_id?: string
    }

/** What an app sees of a notification. */
export type Notification = {
  /** Null when it is not from Vigil. */
  readonly message_id: string | null
  readonly recipient_id: string | null
  readonly title: string | null
  readonly body: string | null
  readonly deep_link: string | null
  /** To the user, and not only handed to the app. */
  readonly is_shown: boolean
  /** All that it carries besides. */
  readonly data: Readonly<Record<string, unknown>>
}

export type Handset = {
  /** Null until it was first asked for its token. */
  id: () => string | null
  token: () => string
  renewToken: () => void
  /** What came since this was last asked for, oldest first. */
  takeArrived: () => Notification[]
}

export function createHandset(phone: Phone): Handset {
  let id: string | null = phone.phone_id ?? null
  let taken = 0
  const view = () => {
    id ??= makePhone(phone)
    return phone.control.getPhone(id)
  }
  return {
    id: () => id,
    token: () => view().token,
    renewToken: () => void phone.control.renewToken(view().id),
    takeArrived: () => {
      const { received, last } = view()
      // A ledger that was cleared begins anew.
      const fresh = received >= taken ? received - taken : received
      taken = received
      return fresh === 0 ? [] : last.slice(-fresh).map((delivery) => read(phone, delivery))
    },
  }
}

function makePhone(phone: Phone): string {
  if (phone.platform === 'ios') {
    const { bundle_id } = phone
    return phone.control.makePhone(bundle_id === undefined ? {} : { bundle_id }).id
  }
  const { package_name } = phone
  return phone.control.makePhone(package_name === undefined ? {} : { package_name }).id
}

type Json = Record<string, unknown>

function read({ platform }: Phone, { body }: Delivery): Notification {
  const payload = objectOf(body)
  return platform === 'android' ? readAndroid(payload) : readApple(payload)
}

function readAndroid(message: Json): Notification {
  const data = objectOf(message['data'])
  const shown = objectOf(message['notification'])
  return {
    ...ownPart(data),
    title: textOf(shown['title']),
    body: textOf(shown['body']),
    is_shown: message['notification'] !== undefined,
    data,
  }
}

function readApple({ aps, ...data }: Json): Notification {
  const { alert } = objectOf(aps)
  const shown = objectOf(alert)
  return {
    ...ownPart(data),
    title: textOf(shown['title']),
    body: typeof alert === 'string' ? alert : textOf(shown['body']),
    is_shown: alert !== undefined,
    data,
  }
}

const ownPart = (data: Json) => ({
  message_id: textOf(data['vigil_message_id']),
  recipient_id: textOf(data['vigil_recipient_id']),
  deep_link: textOf(data['vigil_deep_link']),
})

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
