/** The bodies that channels accept. Pure. */
import { escapeHtml } from '../../../platform/mail/escape-html.ts'
import type { Severity } from '../catalog.ts'
import type { Item } from '../tables.ts'
import type { Summary } from './summary.ts'

const COLORS: Readonly<Record<Severity, string>> = {
  critical: '#b3261e',
  warning: '#9a6700',
  notice: '#1f6feb',
}

export function htmlOf({ title, severity, lines, omitted, url }: Summary): string {
  const rows = lines.map(({ text, detail, url: link, at }) => {
    const more = detail === null ? '' : `<br>${escapeHtml(detail).replaceAll('\n', '<br>')}`
    const time = `<br><small>${at.slice(0, 16).replace('T', ' ')} UTC</small>`
    return `<li><a href="${escapeHtml(link)}">${escapeHtml(text)}</a>${more}${time}</li>`
  })
  const rest = omitted > 0 ? `<p><a href="${escapeHtml(url)}">${omitted} more</a></p>` : ''
  return `<!doctype html><html lang="en"><body style="font-family:sans-serif">
<h1 style="font-size:18px;border-left:6px solid ${COLORS[severity]};padding-left:10px">${escapeHtml(title)}</h1>
<ul>${rows.join('\n')}</ul>${rest}
</body></html>`
}

/** Slack's rules of its text: only these three characters have a meaning in it. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Incoming webhooks of Slack, and of services that accept the same, such as Mattermost. */
export function slackBody({ title, severity, lines, omitted, url }: Summary): string {
  const rows = lines.map(({ text, detail, url: link }) => {
    const more = detail === null ? '' : `\n${escapeSlack(detail)}`
    return `<${link}|${escapeSlack(text).replaceAll('|', '/')}>${more}`
  })
  const rest = omitted > 0 ? [`<${url}|${omitted} more>`] : []
  const text = [...rows, ...rest].join('\n')
  const attachment = { color: COLORS[severity], text, fallback: title }
  return JSON.stringify({ text: escapeSlack(title), attachments: [attachment] })
}

const TEAMS_COLORS: Readonly<Record<Severity, string>> = {
  critical: 'Attention',
  warning: 'Warning',
  notice: 'Accent',
}

/** Markdown has a meaning in text blocks of adaptive cards. */
const escapeTeams = (text: string): string => text.replace(/[\\*_~`[\]()#>|-]/g, '\\$&')

/** A workflow of Microsoft Teams that is started by a webhook takes an adaptive card. */
export function teamsBody({ title, severity, lines, omitted, url }: Summary): string {
  const block = (text: string, more: object = {}) => ({
    type: 'TextBlock',
    text,
    wrap: true,
    ...more,
  })
  const rows = lines.map(({ text, detail, url: link }) =>
    block(`[${escapeTeams(text)}](${link})${detail === null ? '' : `\n\n${escapeTeams(detail)}`}`),
  )
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(escapeTeams(title), {
        weight: 'Bolder',
        size: 'Medium',
        color: TEAMS_COLORS[severity],
      }),
      ...rows,
      ...(omitted > 0 ? [block(`${omitted} more`)] : []),
    ],
    actions: [{ type: 'Action.OpenUrl', title: 'Open in Vigil', url }],
  }
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', content: card }
  return JSON.stringify({ type: 'message', attachments: [attachment] })
}

const PAGERDUTY_SEVERITIES = { critical: 'critical', warning: 'warning', notice: 'info' } as const
const SUMMARY_MAX_CHARS = 1024

/** Events API v2. The notification is the incident, so repetitions and its end find it. */
export function pagerdutyBody(
  item: Item,
  { title, lines, url }: Summary,
  routingKey: string,
): string {
  return JSON.stringify({
    routing_key: routingKey,
    event_action: item.step === 'resolved' ? 'resolve' : 'trigger',
    dedup_key: item.notification_id,
    client: 'Vigil',
    client_url: url,
    payload: {
      summary: title.slice(0, SUMMARY_MAX_CHARS),
      source: 'vigil',
      severity: PAGERDUTY_SEVERITIES[item.severity],
      timestamp: item.at,
      class: item.subject,
      custom_details: { detail: lines[0]?.detail ?? '' },
    },
    links: [{ href: url, text: 'Open in Vigil' }],
  })
}

export const WEBHOOK_TYPE = 'notification'

/** The same members as in the deliveries of events. */
export function webhookBody(
  message: { id: string; created_at: Date; items: readonly Item[] },
  { title, severity, url }: Summary,
  pages: string,
): string {
  const items = message.items.map(({ link, ...item }) => ({ ...item, url: `${pages}${link}` }))
  const data = { title, severity, url, notifications: items }
  const timestamp = message.created_at.toISOString()
  return JSON.stringify({ id: message.id, type: WEBHOOK_TYPE, timestamp, data })
}
