// Light and dark.

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.querySelector("meta[name=color-scheme]").content = theme;
}

/// The theme of the system, unless it was chosen here before.
function initialTheme() {
  try {
    const chosen = localStorage.getItem("heddle-theme");
    if (chosen) return chosen;
  } catch { /* pages of files may have no storage */ }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/// Changes between the themes; the view is drawn again, since charts have colours of their own.
function changeTheme(view) {
  const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  setTheme(theme);
  try {
    localStorage.setItem("heddle-theme", theme);
  } catch { /* then it holds for this page */ }
  view.show();
}
