import { Icon } from '../../components/icon.tsx'
import { Button, capitalized, Empty, Page, SelectField } from '../../components/index.ts'
import type { PageProps } from '../../components/page.tsx'
import { PageLink } from '../../shell/links.tsx'
import { rangeQuery } from './scope.tsx'

const DEVICES = [
  { value: '', label: 'All' },
  { value: 'desktop', label: 'Desktop' },
  { value: 'mobile', label: 'Mobile' },
  { value: 'tablet', label: 'Tablet' },
  { value: 'bot', label: 'Bot' },
]

type DeviceFieldProps = { value: string; set: (changed: { device: string }) => void }

export const DeviceField = ({ value, set }: DeviceFieldProps) => (
  <SelectField
    label="Device"
    value={value}
    options={DEVICES}
    onChange={(device) => set({ device })}
  />
)

export function HowToSend() {
  return (
    <p>
      Send events with the browser SDK, or from any client with <code>POST /v1/rum/events</code> and
      a public key. Select a longer period to see older events.
    </p>
  )
}

export const SessionLink = ({ id, range }: { id: string; range: string }) => (
  <PageLink to="/rum/session" query={{ id, ...rangeQuery(range) }}>
    {id}
  </PageLink>
)

export const RumPageLink = ({ page, range }: { page: string; range: string }) => (
  <PageLink to="/rum/page" query={{ page, ...rangeQuery(range) }}>
    {page}
  </PageLink>
)

/** Removes the filter by page, which links set. */
export const PageFilter = ({ page, onClear }: { page: string; onClear: () => void }) =>
  page === '' ? null : (
    <Button onClick={onClear}>
      On {page} <Icon sign="close" />
      <span class="visually-hidden"> Remove this filter</span>
    </Button>
  )

type Up = NonNullable<PageProps['up']>

/** For an address without the name of the error or session. */
export const NothingSelected = ({ what, up }: { what: string; up: Up }) => (
  <Page title={capitalized(what)} up={up}>
    <Empty title={`No ${what} selected`}>
      <p>Select one from the list.</p>
    </Empty>
  </Page>
)
