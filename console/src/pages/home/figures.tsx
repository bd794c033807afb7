/** Numbers of the home page in groups; each leads to the list behind it. */
import type { Figures as AllFigures, Amount } from '../../../../src/modules/attention/schema.ts'
import type { StatProps } from '../../components/facts.tsx'
import {
  amountText,
  countText,
  numberText,
  percentText,
  Section,
  Stat,
  Stats,
  Time,
} from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { type Role, useOrg } from '../../shell/organization.ts'
import { moneyText } from '../developers/money.ts'
import styles from './home.module.css'

type Figure = StatProps & { to: string; query?: Record<string, string> }

/** Money comes first for those who pay, cases for those who decide them. */
export function Figures({ figures }: { figures: AllFigures }) {
  const { role } = useOrg()
  return (
    <>
      {groupsOf(figures, role).map(([title, shown]) =>
        shown.length === 0 ? null : (
          <Section key={title} title={title} class={styles['figures'] ?? ''}>
            <Stats>
              {shown.map(({ to, query, label, value, note }) => (
                <Stat
                  key={label}
                  label={label}
                  value={
                    <PageLink to={to} {...(query && { query })}>
                      {value}
                    </PageLink>
                  }
                  note={note}
                />
              ))}
            </Stats>
          </Section>
        ),
      )}
    </>
  )
}

function groupsOf(figures: AllFigures, role: Role): [string, Figure[]][] {
  const fraud: [string, Figure[]] = ['Fraud', fraudFigures(figures.fraud)]
  const operations: [string, Figure[]] = ['Operations', operationFigures(figures)]
  const cost: [string, Figure[]] = ['This month', costFigures(figures.cost)]
  return role === 'member' ? [fraud, operations, cost] : [cost, fraud, operations]
}

function fraudFigures(fraud: AllFigures['fraud']): Figure[] {
  const { open_cases, overdue_cases, oldest_at, decided, frauds } = fraud
  if (open_cases === 0 && decided === 0) return []
  const atLeast = fraud.is_complete ? '' : 'at least '
  return [
    {
      label: 'At risk',
      value: amountsText(fraud.at_risk),
      note: `${atLeast}${countText(open_cases, 'open cases')}, ${numberText(overdue_cases)} overdue`,
      to: '/cases',
    },
    {
      label: 'Oldest open case',
      value: oldest_at === null ? 'None' : <Time at={oldest_at} as="age" />,
      to: '/cases',
      query: { order: 'oldest' },
    },
    {
      label: 'Caught, last 30 days',
      value: amountsText(fraud.caught),
      note: countText(frauds, 'confirmed frauds'),
      to: '/cases/statistics',
    },
    {
      label: 'Precision, last 30 days',
      value: percentText(decided === 0 ? null : frauds / decided, 0),
      note: `of ${countText(decided, 'decisions')} about what was flagged`,
      to: '/cases/statistics',
    },
  ]
}

function operationFigures(figures: AllFigures): Figure[] {
  const { alerts, edge_devices, managed_devices, deliveries } = figures
  const shown: Figure[] = []
  if (edge_devices) {
    shown.push({ label: 'Log alerts firing', value: alerts.firing, to: '/logs/alerts' })
    shown.push({
      label: 'Edge devices, last hour',
      value: `${numberText(edge_devices.reporting)} of ${numberText(edge_devices.devices)}`,
      note: 'sent logs',
      to: '/logs/devices',
    })
  }
  if (managed_devices) {
    const { devices, non_compliant } = managed_devices
    shown.push({
      label: 'Managed devices, compliant',
      value: percentText((devices - non_compliant) / devices, 0),
      note: `${numberText(non_compliant)} of ${countText(devices, 'devices')} non-compliant`,
      to: '/devices/fleet',
      query: { compliance: 'non_compliant' },
    })
  }
  if (deliveries) {
    const { succeeded, finished } = deliveries
    shown.push({
      label: 'Deliveries, last 24 hours',
      value: percentText(finished === 0 ? null : succeeded / finished),
      note: `${numberText(succeeded)} of ${numberText(finished)} succeeded`,
      to: '/webhooks',
    })
  }
  return shown
}

function costFigures(cost: AllFigures['cost']): Figure[] {
  if (!cost) return []
  const { credits, forecast_credits, price } = cost
  const text = (of: number) => (price ? moneyText(of, price) : countText(Math.round(of), 'credits'))
  return [
    { label: 'Cost so far', value: text(credits), to: '/developers/usage' },
    ...(forecast_credits === null
      ? []
      : [
          {
            label: 'Forecast for the month',
            value: text(forecast_credits),
            note: 'if usage continues as in the last 7 days',
            to: '/developers/usage',
          },
        ]),
  ]
}

const amountsText = (amounts: readonly Amount[]): string =>
  amounts.length === 0
    ? 'None'
    : amounts.map(({ amount_cents, currency }) => amountText(amount_cents, currency)).join(' + ')
