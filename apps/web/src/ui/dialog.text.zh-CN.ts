export const dialogZhCN = {
  cancel: '取消',
}
