/**
 * A pretend app with Vigil's push SDK, on a pretend phone of an emulated provider: it registers, lets its
 * user sign in and out, and tells what reached it, by the calls of the console (OP-35).
 */
import { createCaller } from './calls.ts'
import { createHandset, type Notification, type Phone } from './handset.ts'

export type { Notification, Phone } from './handset.ts'

export type Permission = 'granted' | 'provisional' | 'denied'

export type PushAppOptions = {
  /** `http://127.0.0.1:8080`, no slash at the end. */
  readonly service_url: string
  /** Of an owner or admin. */
  readonly access_token: string
  readonly org_id: string
  readonly application_id: string
  readonly phone: Phone
  readonly locale?: string
  readonly app_version?: string
}

/** Whatever the service refuses throws, with its status and what it says. */
export type PushApp = {
  /** Null until it is installed. */
  subscriptionId: () => string | null
  /** By which the phone goes at its emulator; null until it is installed. */
  phoneId: () => string | null
  /** Gets a token and registers; again, it says that the token is still good. */
  install: () => Promise<void>
  /** @param identityToken as the backend of the app got it */
  signIn: (identityToken: string) => Promise<void>
  signOut: () => Promise<void>
  /** The provider gives another token; who has signed in stays so. */
  newToken: () => Promise<void>
  setPermission: (permission: Permission) => Promise<void>
  /**
   * Takes what came since it was last opened, at most the twenty that a phone keeps. It tells that it
   * received them, and of those on which the user clicked.
   * @param isClicked by default all that are shown
   */
  open: (isClicked?: (notification: Notification) => boolean) => Promise<Notification[]>
}

const SUBSCRIPTIONS = '/console/api/push/subscriptions'

export function createPushApp(options: PushAppOptions): PushApp {
  const { application_id, phone, locale, app_version } = options
  const call = createCaller(options)
  const handset = createHandset(phone)
  let id: string | null = null
  let permission: Permission = 'granted'
  const path = (rest = '') => {
    if (id === null) throw new Error('the app is not installed')
    return `${SUBSCRIPTIONS}/${id}${rest}`
  }
  const register = async () => {
    const content = await call('POST', SUBSCRIPTIONS, {
      application_id,
      platform: phone.platform,
      token: handset.token(),
      permission,
      ...(id !== null && { subscription_id: id }),
      ...(locale !== undefined && { locale }),
      ...(app_version !== undefined && { app_version }),
    })
    id = String(content['id'])
  }
  return {
    subscriptionId: () => id,
    phoneId: handset.id,
    install: register,
    signIn: async (identity_token) => {
      await call('POST', path('/identify'), { application_id, identity_token })
    },
    signOut: async () => {
      await call('POST', path('/logout'), { application_id })
    },
    newToken: async () => {
      handset.renewToken()
      await register()
    },
    setPermission: async (next) => {
      await call('PATCH', path(), { application_id, permission: next })
      permission = next
    },
    open: async (isClicked = ({ is_shown }) => is_shown) => {
      path()
      const arrived = handset.takeArrived().map((notification) => ({
        ...notification,
        is_shown: notification.is_shown && permission !== 'denied',
      }))
      const receipts = arrived.flatMap((notification) => {
        const { message_id } = notification
        if (message_id === null) return []
        const receipt = { message_id, subscription_id: id }
        const clicked = isClicked(notification) ? [{ ...receipt, kind: 'clicked' }] : []
        return [{ ...receipt, kind: 'received' }, ...clicked]
      })
      if (receipts.length > 0) await call('POST', '/console/api/push/receipts', { receipts })
      return arrived
    },
  }
}
