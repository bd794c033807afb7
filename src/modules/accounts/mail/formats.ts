/** An e-mail about an account as text and as HTML. Pure. */
import { escapeHtml } from '../../../platform/mail/escape-html.ts'
import type { Content } from './templates.ts'

const FOOTER = 'Vigil sent this e-mail because of your account.'

export const textOf = ({ paragraphs, link }: Content): string =>
  [...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : []), FOOTER].join('\n\n')

export function htmlOf({ subject, paragraphs, link }: Content): string {
  const texts = paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`)
  const button = link
    ? `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>
<p><small>Or open this address: ${escapeHtml(link.url)}</small></p>`
    : ''
  return `<!doctype html><html lang="en"><body style="font-family:sans-serif;max-width:36em">
<h1 style="font-size:18px">${escapeHtml(subject)}</h1>
${texts.join('\n')}
${button}
<p><small>${FOOTER}</small></p>
</body></html>`
}
