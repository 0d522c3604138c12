// Before the first paint: dark or light as was chosen last, else as the system has it.
{
  const chosen = localStorage.getItem("hex-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
