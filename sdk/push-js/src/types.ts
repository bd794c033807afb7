/**
 * The public types. This file imports nothing, because the build publishes it as the type declarations of
 * the package.
 */

export type Platform = 'android' | 'ios'
export type Permission = 'granted' | 'provisional' | 'denied'

/** Facts about the app and its device. Members that are omitted do not change. */
export type Facts = {
  /** Of FCM for `android`, of APNs in hexadecimal digits for `ios`. */
  token?: string | undefined
  permission?: Permission | undefined
  /** Language tag, such as `de-CH`. */
  locale?: string | undefined
  app_version?: string | undefined
  /** Name of the time zone, such as `Europe/Zurich`. */
  time_zone?: string | undefined
}

/** The storage of the app. AsyncStorage of React Native has this form. */
export type PushStorage = {
  getItem(key: string): Promise<string | null>
  setItem(key: string, value: string): Promise<unknown>
}

export type PushOperation =
  | 'register'
  | 'refresh'
  | 'identify'
  | 'logout'
  | 'receipts'
  | 'unsubscribe'
  | 'storage'

/** A failure that does not end by waiting, such as a wrong key. */
export type PushProblem = {
  operation: PushOperation
  message: string
  /** HTTP status of a refusal. */
  status?: number
  /** The field that a refusal names. */
  field?: string
}

export type PushOptions = {
  /** URL of the service without a path, such as `https://vigil.example.com`. */
  service_url: string
  /** A public key (`pk_…`) of the environment of the application. */
  api_key: string
  application_id: string
  platform: Platform
  storage: PushStorage
  /**
   * Gets an identity assertion for the user from the backend of the app. Null means that the user is not
   * signed in; an error means that the backend could not be reached, so it is called again later.
   */
  identity_token?: (external_user_id: string) => Promise<string | null>
  on_problem?: (problem: PushProblem) => void
  /** Deadline of a request; default 20,000. */
  timeout_ms?: number
  /** Random UUID (version 4); default `crypto.randomUUID` or `crypto.getRandomValues`. */
  random_uuid?: () => string
}

export type PushStatus = {
  subscription_id: string | null
  /** The user who was identified last, until the logout. */
  external_user_id: string | null
  is_unsubscribed: boolean
  /** Whether the service has everything. Otherwise the client sends it later. */
  is_synced: boolean
  receipts_waiting: number
}

/** `data` of a notification of Android, or the payload of a notification of iOS. */
export type NotificationData = Readonly<Record<string, unknown>> | null | undefined

/**
 * The calls store what they change and then send it. Their promises are resolved when everything was sent
 * or the client waits before it tries again, and are not rejected when the service is unavailable.
 */
export type Push = {
  /** Call it at each start of the app, and when a fact changes. */
  update(facts: Facts): Promise<PushStatus>
  identify(external_user_id: string): Promise<PushStatus>
  /** The subscription stays and is anonymous. */
  logout(): Promise<PushStatus>
  /** Deletes the subscription. The app is not registered again before `subscribe`. */
  unsubscribe(): Promise<PushStatus>
  subscribe(): Promise<PushStatus>
  received(data: NotificationData): Promise<PushStatus>
  clicked(data: NotificationData): Promise<PushStatus>
  /** Tries again without waiting, except after a 429. Call it when the app returns to the foreground. */
  sync(): Promise<PushStatus>
  /** Stops timers. What was not sent stays in the storage. */
  close(): void
}
