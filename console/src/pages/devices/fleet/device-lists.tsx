/** Two lists of devices: numbered pages, and search results that load more and more. */
import { useEffect } from 'preact/hooks'
import type { FoundDevices as FoundPage } from '../../../../../src/modules/mdm/browsing/schema.ts'
import type { Device, DevicePage } from '../../../../../src/modules/mdm/devices/schema.ts'
import { rowsOfPages, useNumberedRows } from '../../../api/lists.ts'
import { usePages } from '../../../api/read.ts'
import { List, Loading, numberText } from '../../../components/index.ts'
import type { ListProps } from '../../../components/list.tsx'
import { type Selection, selectionColumn } from '../../../components/tables/selection.tsx'
import { PageLink } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { useNames } from '../names.ts'
import { deviceTitle } from '../terms.ts'
import { deviceColumns } from './device-columns.tsx'
import type { DeviceFilters } from './filters.ts'

type Props = { filters: DeviceFilters; selection?: Selection | undefined }

const LABEL = 'Managed devices'
const REFRESH_MS = 10_000
const PAGE_ROWS = 50

type PagedProps = Props & { page: number; onPage: (page: number) => void }

export function PagedDevices({ filters, page, onPage, ...props }: PagedProps) {
  const { id: org_id } = useOrg()
  const { read, list } = useNumberedRows<DevicePage, Device>(
    '/v1/mdm/devices',
    { org_id, ...filters },
    { page, limit: PAGE_ROWS, rowsOf: ({ devices }) => devices, refresh_ms: REFRESH_MS },
  )
  return (
    <DeviceList
      {...props}
      list={list}
      isFiltered={Object.values(filters).some((value) => value !== '')}
      pagination={read.data?.pagination}
      onPage={onPage}
    />
  )
}

export function FoundDevices({ filters, selection }: Props) {
  const { id: org_id } = useOrg()
  const pages = usePages<FoundPage>(
    '/console/api/mdm/devices',
    { org_id, ...filters },
    { keep_previous: true },
  )
  const found = pages.data?.pages ?? []
  const list = rowsOfPages(pages, ({ devices }) => devices)
  const devices = distinct(list.data ?? [])
  const examined = found.reduce((sum, page) => sum + page.examined, 0)
  const isEmpty = devices.length === 0 && !pages.error
  // The first match can be many pages away, so the search continues without further clicks.
  const isContinued = isEmpty && pages.hasNextPage && !pages.isFetching
  useEffect(() => {
    if (isContinued) void pages.fetchNextPage()
  }, [isContinued, found.length])

  if (isEmpty && (pages.isFetching || isContinued)) {
    return <Loading what={`devices (${numberText(examined)} searched)`} />
  }
  return (
    <DeviceList
      selection={selection}
      list={{ ...list, data: pages.error ? undefined : devices }}
      isFiltered
    />
  )
}

/** A device that is found by its serial number can be in its regular place, too. */
const distinct = (devices: readonly Device[]): Device[] => [
  ...new Map(devices.map((device) => [device.id, device])).values(),
]

type DeviceListProps = Pick<Props, 'selection'> &
  Pick<ListProps<Device>, 'list' | 'isFiltered' | 'pagination' | 'onPage'>

function DeviceList({ selection, ...list }: DeviceListProps) {
  const names = useNames()
  const rows = list.list.data ?? []
  const keyOf = ({ id }: Device) => id
  const canSelect = ({ state }: Device) => state !== 'deleted'
  const columns = deviceColumns(names)
  return (
    <List
      {...list}
      what="devices"
      label={LABEL}
      columns={
        selection
          ? [
              selectionColumn({ ...selection, rows, keyOf, nameOf: deviceTitle, canSelect }),
              ...columns,
            ]
          : columns
      }
      keyOf={keyOf}
      isCurrent={({ id }) => selection?.selected.includes(id) === true}
      empty={
        <p>
          Create an <PageLink to="/devices/tokens">enrollment token</PageLink> and scan its QR code
          with a new device.
        </p>
      }
    />
  )
}
