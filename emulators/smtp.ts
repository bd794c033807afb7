/**
 * A mail server that records what it receives, and refuses or hangs as its scenario demands. `GET /received` on
 * its second port, which speaks HTTP, returns the mails.
 */
import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { type Static, Type } from 'typebox'
import { startHttp } from './http-server.ts'
import { addressOf } from './listen.ts'
import { object, scenarioReader } from './scenario.ts'

export const SmtpScenario = object({
  /** Recipient → answer of the server to mails for it, such as `{"code": 550, "message": "No such user"}`. */
  recipients: Type.Optional(
    Type.Record(
      Type.String(),
      object({
        code: Type.Integer({ minimum: 400, maximum: 599 }),
        message: Type.Optional(Type.String({ pattern: '^[ -~]*$' })),
        /** Number of mails to which this applies; later ones are accepted. */
        times: Type.Optional(Type.Integer({ minimum: 1 })),
      }),
    ),
  ),
  /** Recipients for which mails are never answered. */
  hanging: Type.Optional(Type.Array(Type.String())),
})
export type SmtpScenario = Static<typeof SmtpScenario>

/** @throws Error with a sentence that names the invalid member */
export const readSmtpScenario = scenarioReader('smtp', SmtpScenario)

export type ReceivedMail = {
  readonly received_at: string
  readonly from: string
  readonly to: readonly string[]
  readonly message_id: string | null
  readonly subject: string | null
  /** The whole mail with its headers. */
  readonly raw: string
  /** A mail with this `Message-ID` was accepted before. */
  readonly is_duplicate: boolean
}

export type SmtpEmulator = {
  /** `smtp://127.0.0.1:5025` */
  readonly url: string
  /** Where `GET /received` is answered. */
  readonly control_url: string
  /** The last `received_max` mails, oldest first. */
  readonly received: ReceivedMail[]
  setScenario: (scenario: SmtpScenario) => void
  close: () => Promise<void>
}

const RECEIVED_MAX = 1000
const MAX_BYTES = 1_048_576

/** Starts the server. Port 0 takes a free one; the port of HTTP is the next one, or free as well. */
export async function startSmtp(
  options: { port?: number; host?: string; scenario?: SmtpScenario; received_max?: number } = {},
): Promise<SmtpEmulator> {
  const { host = '127.0.0.1', port = 0, received_max = RECEIVED_MAX } = options
  let scenario = readSmtpScenario(options.scenario ?? {})
  const received: ReceivedMail[] = []
  const refusals = new Map<string, number>()

  const refusalFor = (address: string): (Error & { responseCode: number }) | undefined => {
    const rule = scenario.recipients?.[address]
    const count = (refusals.get(address) ?? 0) + 1
    refusals.set(address, count)
    if (rule === undefined || count > (rule.times ?? Number.POSITIVE_INFINITY)) return undefined
    return Object.assign(new Error(rule.message ?? 'Refused'), { responseCode: rule.code })
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: MAX_BYTES,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
    onRcptTo: ({ address }, _session, callback) => {
      if (scenario.hanging?.includes(address)) return
      callback(refusalFor(address) ?? null)
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const message_id = headerOf(raw, 'message-id')
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          received_at: new Date().toISOString(),
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          message_id,
          subject: headerOf(raw, 'subject'),
          raw,
          is_duplicate: received.some((mail) => mail.message_id === message_id),
        })
        if (received.length > received_max) received.shift()
        callback()
      })
    },
  })
  // A client that breaks off must not stop the server.
  server.on('error', () => undefined)
  server.listen(port, host)
  await once(server.server, 'listening')
  const bound = server.server.address()
  const smtpPort = typeof bound === 'object' && bound !== null ? bound.port : port
  const control = await startHttp({
    port: port === 0 ? 0 : port + 1,
    host,
    handle: ({ method, path }) =>
      method === 'GET' && path === '/received'
        ? { status: 200, body: { received } }
        : { status: 404, body: { message: 'Use GET /received' } },
  })
  return {
    url: `smtp://${addressOf(host, smtpPort)}`,
    control_url: control.url,
    received,
    setScenario: (next) => {
      scenario = readSmtpScenario(next)
      refusals.clear()
    },
    close: async () => {
      await control.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const connection of server.connections) connection.close()
      })
    },
  }
}

/** Value of a header, unfolded. */
function headerOf(raw: string, name: string): string | null {
  const head = raw.split('\r\n\r\n', 1)[0]?.replaceAll(/\r\n[ \t]+/g, ' ') ?? ''
  const line = head.split('\r\n').find((each) => each.toLowerCase().startsWith(`${name}:`))
  return line === undefined ? null : line.slice(name.length + 1).trim()
}
