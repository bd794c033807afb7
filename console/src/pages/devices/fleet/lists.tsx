/** The two ways to read devices: by numbered pages, and by looking for them. */
import { useEffect } from 'preact/hooks'
import type { FoundDevices as FoundPage } from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Device, DevicePage } from '../../../../../src/modules/mdm/devices/schema.ts'
import { usePages, useRead } from '../../../api/read.ts'
import {
  Button,
  Empty,
  Failed,
  numberText,
  Pager,
  Shown,
  Waiting,
} from '../../../components/index.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { type DeviceChoice, DeviceTable } from './device-table.tsx'
import { type DeviceFilters, isFiltered, queryOf } from './filters.ts'

type Props = { filters: DeviceFilters; choice?: DeviceChoice | undefined }

const REFRESH_MS = 10_000
const PAGE_ROWS = 50

export function PagedDevices({
  filters,
  choice,
  onPage,
}: Props & { onPage: (page: number) => void }) {
  const { id: org_id } = useOrg()
  const page = Math.max(1, Math.trunc(Number(filters.page)) || 1)
  const read = useRead<DevicePage>(
    '/v1/mdm/devices',
    { ...queryOf(filters, org_id), page, limit: PAGE_ROWS },
    { keep: true, refresh_ms: REFRESH_MS },
  )
  return (
    <Shown read={read} what="devices">
      {({ devices, pagination }) =>
        pagination.total === 0 ? (
          <NoDevices isFiltered={isFiltered(filters)} />
        ) : (
          <>
            <DeviceTable devices={devices} choice={choice} />
            <Pager pagination={pagination} what="devices" onPage={onPage} />
          </>
        )
      }
    </Shown>
  )
}

export function FoundDevices({ filters, choice }: Props) {
  const { id: org_id } = useOrg()
  const pages = usePages<FoundPage>('/console/api/mdm/devices', queryOf(filters, org_id), {
    keep: true,
  })
  const found = pages.data?.pages ?? []
  const devices = distinct(found.flatMap((page) => page.devices))
  const compared = found.reduce((sum, { examined }) => sum + examined, 0)
  const isLooking = pages.isFetching && devices.length === 0
  // What lies far back is looked for without being asked again.
  const goesOn = devices.length === 0 && pages.hasNextPage && !pages.isFetching
  useEffect(() => {
    if (goesOn) void pages.fetchNextPage()
  }, [goesOn, found.length])

  if (pages.error) return <Failed error={pages.error} onRetry={() => void pages.refetch()} />
  if (isLooking || goesOn) {
    return <Waiting for={`devices (${numberText(compared)} compared)`} />
  }
  if (devices.length === 0) return <NoDevices isFiltered />
  return (
    <>
      <DeviceTable devices={devices} choice={choice} />
      <div class="more">
        <span class="muted" aria-live="polite">
          {numberText(devices.length)} devices{pages.hasNextPage ? ' so far' : ''}
        </span>
        {pages.hasNextPage && (
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Look further
          </Button>
        )}
      </div>
    </>
  )
}

/** One that was found by its whole serial number may come again in its place. */
const distinct = (devices: readonly Device[]): Device[] => [
  ...new Map(devices.map((device) => [device.id, device])).values(),
]

function NoDevices({ isFiltered: isNarrowed }: { isFiltered: boolean }) {
  return isNarrowed ? (
    <Empty title="No device fits">
      <p>
        Take a filter away, or <PageLink to="/devices/fleet">show all devices</PageLink>.
      </p>
    </Empty>
  ) : (
    <Empty title="No devices yet">
      <p>
        Make an <PageLink to="/devices/tokens">enrolment token</PageLink> and hold a new phone
        before its QR code.
      </p>
    </Empty>
  )
}
