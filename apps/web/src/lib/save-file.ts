/** As a download: a refusal then leaves the page where it is. */
export function saveFile(address: string, name = '') {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}
