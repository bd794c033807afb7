/** The texts of e-mails about accounts. Pure. */

/** Mails with a link, and the prefixes of the tokens in it. */
export const LINK_PREFIXES = {
  password_reset: 'vpr_',
  invitation: 'vit_',
  email_change_old: 'vec_',
  email_change_new: 'vec_',
} as const
export type LinkKind = keyof typeof LINK_PREFIXES

/** `reset_request` is no mail: it becomes one for each account with the address. */
export type MailKind =
  | LinkKind
  | 'reset_request'
  | 'password_changed'
  | 'email_changed'
  | 'new_browser'

export type Content = {
  subject: string
  paragraphs: string[]
  link?: { label: string; url: string }
}

type Details = Readonly<Record<string, string>>
type Template = (details: Details, recipient: string) => Omit<Content, 'link'> & { action?: string }

const IGNORE = 'If you did not ask for this, ignore this e-mail: nothing changes.'
const NOT_YOU =
  'If this was not you, set a new password now, and ask an administrator of your organization for help.'

/** The page of a link, below `/console/`. The token is in the fragment, which browsers do not send. */
const PAGES: Readonly<Record<LinkKind, string>> = {
  password_reset: 'reset',
  invitation: 'invitation',
  email_change_old: 'email',
  email_change_new: 'email',
}

const TEMPLATES: Readonly<Record<string, Template>> = {
  password_reset: ({ organizations = '' }, recipient) => ({
    subject: 'Set a new password',
    paragraphs: [
      `Someone asked for a new password for ${recipient}.`,
      ...(organizations === '' ? [] : [`This is the account in: ${organizations}.`]),
      'The link works once, for one hour. It ends all sessions of the account, and does not replace the second factor.',
      IGNORE,
    ],
    action: 'Set a new password',
  }),
  invitation: ({ organization = '', inviter = '', role = '', days = '' }, recipient) => ({
    subject: `Join ${organization}`,
    paragraphs: [
      `${inviter} invites ${recipient} to join ${organization} as ${role}.`,
      `The link works once, for ${days} days. If you do not expect this, ignore this e-mail.`,
    ],
    action: 'Accept the invitation',
  }),
  email_change_old: ({ email = '' }) => ({
    subject: 'Confirm the new e-mail address of your account',
    paragraphs: [
      `Someone who knows your password asked to replace this address by ${email}.`,
      'It changes when both addresses have confirmed it. The link works for one day.',
      `The same page cancels the change. ${NOT_YOU}`,
    ],
    action: 'Confirm or cancel',
  }),
  email_change_new: ({ former = '' }) => ({
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      `The account of ${former} is to use this address.`,
      'It changes when both addresses have confirmed it. The link works for one day.',
      IGNORE,
    ],
    action: 'Confirm the address',
  }),
  password_changed: (_details, recipient) => ({
    subject: 'Your password was changed',
    paragraphs: [
      `The password of ${recipient} was changed, and all other sessions have ended.`,
      NOT_YOU,
    ],
  }),
  email_changed: ({ email = '' }) => ({
    subject: 'Your e-mail address was changed',
    paragraphs: [`Your account now uses ${email}. This address is not used any more.`, NOT_YOU],
  }),
  new_browser: ({ browser = '', address = '', at = '' }, recipient) => ({
    subject: 'Sign-in from a new browser',
    paragraphs: [
      `${recipient} signed in from a browser that is not known yet.`,
      `Browser: ${browser}. Address: ${address}. Time: ${at}.`,
      `Profile, Sessions lists all sessions and ends them. ${NOT_YOU}`,
    ],
  }),
}

/**
 * @param site address of the service, without a slash at the end
 * @param tokenOf the token of the mail
 * @returns undefined for a kind that a later version wrote
 */
export function contentOf(
  mail: { kind: string; recipient: string; details: Details },
  site: string,
  tokenOf: (kind: LinkKind) => string,
): Content | undefined {
  const template = Object.hasOwn(TEMPLATES, mail.kind) ? TEMPLATES[mail.kind] : undefined
  if (!template) return undefined
  const { action, ...texts } = template(mail.details, mail.recipient)
  const console = `${site}/console`
  if (action === undefined) return { ...texts, link: { label: 'Open Vigil', url: console } }
  const kind = mail.kind as LinkKind
  return { ...texts, link: { label: action, url: `${console}/${PAGES[kind]}#${tokenOf(kind)}` } }
}
