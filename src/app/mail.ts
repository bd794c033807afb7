/** The mail server of the operator, and where the links in mails lead. */
import { baseUrl, type Config } from '../config.ts'
import { createMailer, type Mailer } from '../platform/mail/mailer.ts'
import { OperatorError } from '../platform/operator-error.ts'

/** @returns undefined where none is configured */
export function openMailer({ smtp_url: url, smtp_from: from }: Config): Mailer | undefined {
  if (url !== undefined && from === undefined) {
    throw new OperatorError('VIGIL_SMTP_FROM must be set together with VIGIL_SMTP_URL.')
  }
  return url !== undefined && from !== undefined ? createMailer({ url, from }) : undefined
}

/** Address of the service, without a slash at the end. */
export const siteOf = (config: Config): string => baseUrl(config).replace(/\/v1$/, '')
