/** The sentences of asking for a consent that was left out. */
export const agreeFirstZhCN = {
  title: '请先阅读并同意',
  goingOnAgrees: '继续即表示您同意',
  go: '同意并继续',
}
