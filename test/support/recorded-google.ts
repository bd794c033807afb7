/**
 * Answers in the shapes that Google's reference pages show
 * (https://developers.google.com/android/management/reference/rest,
 * https://cloud.google.com/pubsub/docs/reference/rest), transcribed by hand for one enterprise with one
 * device.
 */
import type { HttpReply, HttpRequest } from '../../emulators/http-server.ts'
import { findMethod, readApiDescription } from '../../src/platform/google/api-description.ts'
import type { Answerer } from './checked-exchanges.ts'

const ENTERPRISE = 'enterprises/LC03r2xkq1'
const DEVICE = `${ENTERPRISE}/devices/3a1f9c4e7b2d8065`
export const RECORDED_ENTERPRISE_TOKEN = 'EAFpz9v6Zq0rKx'

const TOKEN = `${ENTERPRISE}/enrollmentTokens/8Wc3pQn5sXb1`
const TOKEN_VALUE = 'QJXWKFPDLZRTYUIOPASD'

const deviceOf = (tokenData: string) => ({
  name: DEVICE,
  managementMode: 'DEVICE_OWNER',
  state: 'ACTIVE',
  appliedState: 'ACTIVE',
  policyCompliant: true,
  enrollmentTime: '2026-03-01T11:58:12.117Z',
  lastStatusReportTime: '2026-03-01T12:00:03.482Z',
  lastPolicySyncTime: '2026-03-01T12:00:01.005Z',
  appliedPolicyVersion: '1',
  apiLevel: 35,
  enrollmentTokenData: tokenData,
  enrollmentTokenName: TOKEN,
  hardwareInfo: {
    brand: 'google',
    manufacturer: 'Google',
    model: 'Pixel 9',
    serialNumber: '47071FDAQ000AB',
    enterpriseSpecificId: 'S7MTGHQV3K2PD5YB',
  },
  softwareInfo: { androidVersion: '15', securityPatchLevel: '2026-02-05' },
  policyName: `${ENTERPRISE}/policies/policy1`,
  appliedPolicyName: `${ENTERPRISE}/policies/policy1`,
  ownership: 'COMPANY_OWNED',
  userName: `${ENTERPRISE}/users/109876543210987654321`,
})

const operationOf = (id: string, command: object) => ({
  name: `${DEVICE}/operations/${id}`,
  metadata: {
    '@type': 'type.googleapis.com/google.android.devicemanagement.v1.Command',
    createTime: '2026-03-01T12:05:00.211Z',
    duration: '600s',
    userName: `${ENTERPRISE}/users/109876543210987654321`,
    ...command,
  },
})

const errorOf = (code: number, status: string, message: string): HttpReply => ({
  status: code,
  body: { error: { code, message, status } },
})

const pubsubMessage = (ackId: string, type: string, data: object) => ({
  ackId,
  message: {
    data: Buffer.from(JSON.stringify(data)).toString('base64'),
    attributes: { notificationType: type },
    messageId: `1409287${ackId}`,
    publishTime: '2026-03-01T12:00:04.002Z',
  },
})

export function createRecorded(): Answerer {
  const api = readApiDescription('android-management')
  const policies = new Map<string, string>()
  const operations: object[] = []
  let isDeleted = false
  let isTokenDeleted = false
  let hasTopic = false
  let tokenData = ''
  let messages = [pubsubMessage('aa1', 'ENROLLMENT', deviceOf(''))]

  const pubsub = ({ method, path, body }: HttpRequest): HttpReply => {
    if (path.endsWith(':getIamPolicy')) return { status: 200, body: { etag: 'ACAB', version: 1 } }
    if (path.endsWith(':setIamPolicy')) return { status: 200, body: membersOf(body)['policy'] }
    if (path.endsWith(':pull')) {
      return { status: 200, body: messages.length > 0 ? { receivedMessages: messages } : {} }
    }
    if (path.endsWith(':acknowledge')) {
      messages = []
      return { status: 200, body: {} }
    }
    const name = path.slice('/v1/'.length)
    if (method === 'PUT' && hasTopic && name.includes('/topics/')) {
      return errorOf(409, 'ALREADY_EXISTS', `Resource already exists in the project (${name}).`)
    }
    hasTopic ||= method === 'PUT'
    return { status: 200, body: { name } }
  }

  const METHODS: Record<string, (request: HttpRequest, name: string) => HttpReply> = {
    'signupUrls.create': () => ({
      status: 200,
      body: {
        name: 'signupUrls/C5e9a1f27',
        url: 'https://play.google.com/adminsignup?token=SAWe5b3aQ0hY',
      },
    }),
    'enterprises.create': ({ path, body }) =>
      path.includes(RECORDED_ENTERPRISE_TOKEN)
        ? {
            status: 200,
            body: {
              ...membersOf(body),
              name: ENTERPRISE,
              enterpriseDisplayName: 'Example Ltd',
              enterpriseType: 'MANAGED_GOOGLE_PLAY_ACCOUNTS_ENTERPRISE',
            },
          }
        : errorOf(400, 'INVALID_ARGUMENT', 'Enterprise token is invalid.'),
    'enterprises.policies.patch': ({ body }, name) => {
      if (policies.get(name) === body) return { status: 304 }
      policies.set(name, body)
      return { status: 200, body: { name, version: '1', ...membersOf(body) } }
    },
    'enterprises.policies.get': (_, name) => ({
      status: 200,
      body: { name, version: '1', ...membersOf(policies.get(name) ?? '{}') },
    }),
    'enterprises.enrollmentTokens.create': ({ body }) => {
      const given = membersOf(body)
      tokenData = String(given['additionalData'])
      const extras = { 'com.google.android.apps.work.clouddpc.EXTRA_ENROLLMENT_TOKEN': TOKEN_VALUE }
      return {
        status: 200,
        body: {
          ...given,
          name: TOKEN,
          value: TOKEN_VALUE,
          expirationTimestamp: '2026-03-08T12:00:00.000Z',
          qrCode: JSON.stringify({ 'android.app.extra.PROVISIONING_ADMIN_EXTRAS_BUNDLE': extras }),
        },
      }
    },
    'enterprises.enrollmentTokens.delete': (_, name) => {
      if (isTokenDeleted) return missing(name)
      isTokenDeleted = true
      return { status: 200, body: {} }
    },
    'enterprises.devices.list': () => ({
      status: 200,
      body: isDeleted ? {} : { devices: [deviceOf(tokenData)] },
    }),
    'enterprises.devices.get': (_, name) =>
      isDeleted ? missing(name) : { status: 200, body: deviceOf(tokenData) },
    'enterprises.devices.patch': () => ({ status: 200, body: deviceOf(tokenData) }),
    'enterprises.devices.delete': (_, name) => {
      if (isDeleted) return missing(name)
      isDeleted = true
      return { status: 200, body: {} }
    },
    'enterprises.devices.issueCommand': ({ body }) => {
      const { newPassword: _, ...command } = membersOf(body)
      const operation = operationOf(String(1772366700211 + operations.length), command)
      operations.push(operation)
      return { status: 200, body: operation }
    },
    'enterprises.devices.operations.get': (_, name) => {
      const one = operations.find((each) => (each as { name: string }).name === name)
      return one ? { status: 200, body: one } : missing(name)
    },
    'enterprises.devices.operations.list': () => ({ status: 200, body: { operations } }),
  }

  return (request) => {
    const { pathname } = new URL(request.path, 'http://recorded')
    if (pathname === '/token') {
      const body = { access_token: 'ya29.c.b0Aaekm1', expires_in: 3599, token_type: 'Bearer' }
      return { status: 200, body }
    }
    if (pathname.startsWith('/v1/projects/')) return pubsub({ ...request, path: pathname })
    const method = findMethod(api, request.method, pathname)
    const name = pathname.slice('/v1/'.length).replace(/:\w+$/, '')
    return METHODS[method?.id ?? '']?.(request, name) ?? missing(pathname)
  }
}

const missing = (name: string): HttpReply =>
  errorOf(404, 'NOT_FOUND', `Requested entity was not found: ${name}`)

const membersOf = (body: string): Record<string, unknown> =>
  JSON.parse(body) as Record<string, unknown>
