/** Mails that the emulated mail server has received, decoded. */
import { expect } from 'vitest'
import type { SmtpEmulator } from '../../emulators/smtp.ts'

export type ReadMail = { text: string; html: string; link: string; token: string }

/** Waits for a number of mails with the subject. @returns the last one */
export async function mailTo(
  smtp: SmtpEmulator,
  to: string,
  subject: string,
  count = 1,
): Promise<ReadMail> {
  const found = () =>
    smtp.received.filter((mail) => mail.to.includes(to) && mail.subject === subject)
  await expect.poll(() => found().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(count)
  return readMail(found().at(-1)?.raw ?? '')
}

function readMail(raw: string): ReadMail {
  const text = partOf(raw, 'text/plain')
  const html = partOf(raw, 'text/html')
  const link = /https?:\/\/\S+#\S+/.exec(text)?.[0] ?? ''
  return { text, html, link, token: link.split('#')[1] ?? '' }
}

/** A part of a message of several parts, which is encoded as 7bit or quoted-printable. */
function partOf(raw: string, type: string): string {
  const part = raw.split(/\r\n--/).find((each) => each.includes(`Content-Type: ${type}`)) ?? ''
  const [, ...body] = part.split('\r\n\r\n')
  const text = body.join('\r\n\r\n')
  if (!/quoted-printable/i.test(part)) return text
  return text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
}
