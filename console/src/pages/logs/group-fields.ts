/** Fields by which logs are counted, as options of a select field. */
export const STACKED_FIELDS = [
  { value: 'level', label: 'Level' },
  { value: 'device_id', label: 'Device' },
  { value: 'category', label: 'Category' },
  { value: 'environment', label: 'Environment' },
  { value: 'error_type', label: 'Error type' },
]

export const TABLE_FIELDS = [
  ...STACKED_FIELDS,
  { value: 'error_code', label: 'Error code' },
  { value: 'tags', label: 'Tag' },
]
