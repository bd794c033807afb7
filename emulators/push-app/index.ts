/**
 * An emulated app with the push SDK of Vigil on a phone of an emulated provider. It registers, signs its
 * user in and out, and reports receipts by the calls of the console (OP-35).
 */
import { type CallerOptions, createCaller } from './calls.ts'
import { createHandset, type Notification, type Phone } from './handset.ts'

export type { Notification, Phone } from './handset.ts'

export type Permission = 'granted' | 'provisional' | 'denied'

export type PushAppOptions = CallerOptions & {
  readonly application_id: string
  readonly phone: Phone
  readonly locale?: string
  readonly app_version?: string
}

/** A call that the service refuses throws an error with its status and message. */
export type PushApp = {
  /** Null until the app is installed. */
  subscriptionId: () => string | null
  /** Id of the phone at its emulator; null until the app is installed. */
  phoneId: () => string | null
  /** Gets a token and registers it. Later calls confirm that the token is still valid. */
  install: () => Promise<void>
  /** @param identityToken identity assertion that the backend of the app received */
  signIn: (identityToken: string) => Promise<void>
  signOut: () => Promise<void>
  /** Gets a new token from the provider and registers it. The user remains signed in. */
  newToken: () => Promise<void>
  setPermission: (permission: Permission) => Promise<void>
  /**
   * Returns the notifications since the app was last opened, at most the twenty that a phone stores,
   * and reports receipts for them.
   * @param isClicked whether the user clicked on a notification; default all that are shown
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
