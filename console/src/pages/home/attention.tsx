/** Items that need attention, most urgent first. Each links to the page where it can be resolved. */
import type { AttentionItem, Severity } from '../../../../src/modules/attention/schema.ts'
import { Badge, Time, type Tone } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import styles from './home.module.css'

const SEVERITIES: Readonly<Record<Severity, readonly [tone: Tone, label: string]>> = {
  critical: ['bad', 'Critical'],
  warning: ['warn', 'Warning'],
  notice: ['info', 'Notice'],
}

export function Attention({ items }: { items: readonly AttentionItem[] }) {
  if (items.length === 0) {
    return (
      <p>
        <Badge tone="good">All clear</Badge> No open reviews, failing deliveries or firing alerts.
      </p>
    )
  }
  return (
    <ul class={styles['attention']}>
      {items.map((item) => (
        <Item key={item.kind} {...item} />
      ))}
    </ul>
  )
}

function Item({ kind, severity, text, detail, since, link }: AttentionItem) {
  const [tone, label] = SEVERITIES[severity]
  const [path = '', search] = link.split('?')
  const query = Object.fromEntries(new URLSearchParams(search))
  return (
    <li>
      <Badge tone={tone}>{label}</Badge>
      <div>
        <PageLink to={path} query={query}>
          {text}
        </PageLink>
        {detail !== null && <p class={styles['detail']}>{detail}</p>}
      </div>
      {since !== null && (
        <span class="muted">
          {kind === 'reviews' && 'oldest '}
          <Time at={since} as="age" />
        </span>
      )}
    </li>
  )
}
