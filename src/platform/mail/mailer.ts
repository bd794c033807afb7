/** Sends e-mails through the SMTP server of the operator. */
import { createTransport } from 'nodemailer'

export type Mail = {
  to: readonly string[]
  subject: string
  text: string
  html: string
  /** The same in every attempt, so that a mail server recognizes a repetition. */
  message_id: string
}

export type MailOutcome =
  | { kind: 'accepted'; response: string }
  /** `is_final`: the server refuses the message, and would refuse it again. */
  | { kind: 'refused'; code: number; response: string; is_final: boolean }
  | { kind: 'failed'; reason: string }

export type Mailer = {
  /** Never rejects, and ends within the deadline. */
  send(mail: Mail, deadlineMs: number): Promise<MailOutcome>
}

export type MailerOptions = {
  /** `smtp://user:password@host:port`, or `smtps://` for TLS from the start. */
  url: string
  /** Sender, such as `Vigil <vigil@example.com>`. */
  from: string
}

export function createMailer({ url, from }: MailerOptions): Mailer {
  return {
    send: async (mail, deadlineMs) => {
      // One connection per message: they are few, and an idle connection would hide a broken server.
      const transport = createTransport({
        url,
        connectionTimeout: deadlineMs,
        greetingTimeout: deadlineMs,
        socketTimeout: deadlineMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      const { message_id: messageId, to, ...content } = mail
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<MailOutcome>((resolve) => {
        timer = setTimeout(() => resolve({ kind: 'failed', reason: LATE }), deadlineMs)
      })
      const sending = transport
        .sendMail({ from, to: [...to], messageId, ...content })
        .then(({ response }): MailOutcome => ({ kind: 'accepted', response }), outcomeOf)
      const outcome = await Promise.race([sending, late])
      clearTimeout(timer)
      transport.close()
      return outcome
    },
  }
}

const LATE = 'The mail server did not answer in time'

/** Texts about the connection name no address of the operator's network. */
const REASONS: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refused the user name or the password',
  ECONNECTION: 'The mail server cannot be reached',
  ECONNREFUSED: 'The mail server refused the connection',
  EDNS: 'The name of the mail server cannot be resolved',
  ESOCKET: 'The connection to the mail server failed',
  ETIMEDOUT: LATE,
  ETLS: 'The mail server does not offer TLS as required',
}

function outcomeOf(error: unknown): MailOutcome {
  const { code, responseCode, response } = error as {
    code?: unknown
    responseCode?: unknown
    response?: unknown
  }
  if (code !== 'EAUTH' && typeof responseCode === 'number' && typeof response === 'string') {
    const is_final = responseCode >= 500
    return { kind: 'refused', code: responseCode, response, is_final }
  }
  return { kind: 'failed', reason: REASONS[String(code)] ?? 'The mail could not be sent' }
}
